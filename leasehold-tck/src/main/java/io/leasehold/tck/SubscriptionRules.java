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
 * What a subscriber is <em>not</em> told. A signal may be lost, late or doubled, so a name is given
 * back until its subscriber hears of it; that another hears nothing is shown by what is heard after
 * it, on a second name.
 */
abstract class SubscriptionRules extends StoreRules {

  /** For how long nothing more is heard before late copies of a signal are taken to be over. */
  private static final Duration QUIET = Duration.ofMillis(100);

  SubscriptionRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  /** A name, and how often it was heard of. */
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

    /** Gives the name back until it is heard of. */
    void hearFrom(LeaseStore giving) {
      int before = heard.get();
      long until = System.nanoTime() + fixture.patience().toNanos();
      while (heard.get() == before && System.nanoTime() < until) {
        giving.release(grantBy(giving), Duration.ZERO);
        for (int i = 0; i < 40 && heard.get() == before; i++) {
          pause(Duration.ofMillis(5));
        }
      }
      assertThat(heard.get())
          .as("'%s' is heard of within %s", name, fixture.patience())
          .isGreaterThan(before);
    }

    Lease grantBy(LeaseStore giving) {
      return granted(giving.acquire(name, BOB, newAttempt(), LONG), "a free name");
    }

    /** How often it was heard of, when late copies have come. */
    int settled() {
      int last = -1;
      while (heard.get() != last) {
        last = heard.get();
        pause(QUIET);
      }
      return last;
    }
  }

  @Test
  @DisplayName("L77 a subscriber is told of its own name only, and not when that begins to linger")
  void aSubscriberIsToldOfItsOwnNameWhenItIsFree() throws Exception {
    needs(Capability.SIGNALS);
    LeaseStore giving = anotherStoreIfAny();
    Listener listener = new Listener("job");
    Listener marker = new Listener("marker");
    try (Subscription one = listener.subscribe();
        Subscription two = marker.subscribe()) {
      listener.hearFrom(giving);
      int before = listener.settled();

      giving.release(listener.grantBy(giving), LONG);
      marker.hearFrom(giving);

      assertThat(listener.settled())
          .as("neither a name that lingers nor another name is heard of")
          .isEqualTo(before);
    }
  }

  @Test
  @DisplayName("L78 a closed subscription hears nothing more, and closing it ends no other")
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
      listener.hearFrom(giving);

      second.close();
      int before = listener.settled();
      giving.release(listener.grantBy(giving), Duration.ZERO);
      marker.hearFrom(giving);

      assertThat(listener.settled())
          .as("a subscription that was closed is not called")
          .isEqualTo(before);
    }
  }

  @Test
  @DisplayName("L79 subscribing is harmless on every store, with signals or without")
  void subscribingIsHarmless() {
    Listener listener = new Listener("job");
    try {
      Subscription subscription = listener.subscribe();
      store().release(grant(listener.name, ALICE), Duration.ZERO);
      closeTwice(subscription);
    } catch (RuntimeException e) {
      throw new AssertionError("a name can be subscribed to and given back, without " + e, e);
    }
    grant(listener.name, ALICE);
  }

  private static void closeTwice(Subscription subscription) {
    try {
      subscription.close();
      subscription.close();
    } catch (RuntimeException e) {
      throw new AssertionError("a subscription can be closed twice, without " + e, e);
    }
  }
}
