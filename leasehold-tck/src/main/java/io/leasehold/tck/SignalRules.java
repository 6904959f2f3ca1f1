package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStore.Subscription;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What a subscriber is told. A subscription may take a moment to be in force and a signal may be
 * lost, so releases are repeated until one is heard. That something is <em>not</em> heard is shown
 * by what is heard after it.
 */
abstract class SignalRules extends StoreRules {

  /** How long a heard signal may have late copies of itself: those of repeated releases. */
  private static final Duration SETTLED = Duration.ofMillis(100);

  SignalRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  /** A subscriber that counts what it hears. */
  private final class Listener {
    private final LeaseName name;
    private final AtomicInteger heard = new AtomicInteger();

    Listener(String rest) {
      name = name(rest);
    }

    Runnable ear() {
      return heard::incrementAndGet;
    }

    Subscription subscribe() {
      return store().subscribe(name, ear());
    }

    int heard() {
      return heard.get();
    }
  }

  private Lease grantBy(LeaseStore giving, LeaseName name) {
    return granted(giving.acquire(name, BOB, newAttempt(), LONG), "a free name is granted");
  }

  private void release(LeaseStore giving, LeaseName name) {
    giving.release(grantBy(giving, name), Duration.ZERO);
  }

  /** Gives a name back until the listener hears of it. */
  private void expectHeard(Listener listener, Runnable giveBack, String guarantee) {
    int before = listener.heard();
    boolean[] heard = {false};
    comesTrue(
        () -> {
          giveBack.run();
          // The next release must not be needed where signals are quick: wait a little first.
          for (int i = 0; i < 50 && !heard[0]; i++) {
            heard[0] = listener.heard() > before;
            if (!heard[0]) {
              pause(Duration.ofMillis(5));
            }
          }
          return heard[0];
        });
    assertThat(heard[0]).as("%s, within %s", guarantee, fixture.patience()).isTrue();
  }

  /** Waits until what was given back before is no longer heard of. */
  private static int settled(Listener listener) {
    int last = -1;
    while (listener.heard() != last) {
      last = listener.heard();
      pause(SETTLED);
    }
    return last;
  }

  @Test
  @DisplayName("L76 a subscriber is told that a name was released")
  void aSubscriberIsToldOfARelease() throws Exception {
    needs(Capability.SIGNALS);
    LeaseStore giving = anotherStoreIfAny();
    Listener listener = new Listener("job");
    try (Subscription subscription = listener.subscribe()) {
      expectHeard(
          listener, () -> release(giving, listener.name), "a release is heard by a subscriber");
    }
  }

  @Test
  @DisplayName("L77 a subscriber is told that a name was abandoned")
  void aSubscriberIsToldOfAnAbandonedName() throws Exception {
    needs(Capability.SIGNALS);
    LeaseStore giving = anotherStoreIfAny();
    Listener listener = new Listener("job");
    try (Subscription subscription = listener.subscribe()) {
      expectHeard(
          listener,
          () -> giving.abandon(listener.name, BOB, grantBy(giving, listener.name).attempt()),
          "an abandoned name is heard of by a subscriber");
    }
  }

  @Test
  @DisplayName("L78 a subscriber is told of its own name only, and not while the name lingers")
  void aSubscriberIsToldOfItsOwnNameWhenItIsFree() throws Exception {
    needs(Capability.SIGNALS);
    LeaseStore giving = anotherStoreIfAny();
    Listener listener = new Listener("job");
    Listener marker = new Listener("marker");
    try (Subscription one = listener.subscribe();
        Subscription two = marker.subscribe()) {
      expectHeard(
          listener, () -> release(giving, listener.name), "a release is heard by a subscriber");
      int before = settled(listener);

      giving.release(grantBy(giving, listener.name), LONG);
      expectHeard(marker, () -> release(giving, marker.name), "a release is heard");

      assertThat(settled(listener))
          .as("neither a name that lingers nor another name is heard of")
          .isEqualTo(before);
    }
  }

  @Test
  @DisplayName("L79 a closed subscription hears nothing more, and closing it ends no other")
  void aClosedSubscriptionHearsNothingMore() throws Exception {
    needs(Capability.SIGNALS);
    LeaseStore giving = anotherStoreIfAny();
    Listener listener = new Listener("job");
    Listener marker = new Listener("marker");
    Runnable ear = listener.ear();
    Subscription first = store().subscribe(listener.name, ear);
    Subscription second = store().subscribe(listener.name, ear);
    try (Subscription marked = marker.subscribe()) {
      closeTwice(first);
      expectHeard(
          listener,
          () -> release(giving, listener.name),
          "closing one subscription, twice, does not end another");

      second.close();
      int before = settled(listener);
      release(giving, listener.name);
      expectHeard(marker, () -> release(giving, marker.name), "a release is heard");

      assertThat(settled(listener))
          .as("a subscription that was closed is not called")
          .isEqualTo(before);
    }
  }

  @Test
  @DisplayName("L80 subscribing is harmless on every store, with signals or without")
  void subscribingIsHarmless() {
    Listener listener = new Listener("job");
    try {
      Subscription subscription = listener.subscribe();
      release(store(), listener.name);
      closeTwice(subscription);
    } catch (RuntimeException e) {
      throw new AssertionError("a subscription is made without " + e, e);
    }
    grant(listener.name, ALICE);
  }

  private static void closeTwice(Subscription subscription) {
    try {
      subscription.close();
      subscription.close();
    } catch (RuntimeException e) {
      throw new AssertionError("a subscription may be closed twice, without " + e, e);
    }
  }
}
