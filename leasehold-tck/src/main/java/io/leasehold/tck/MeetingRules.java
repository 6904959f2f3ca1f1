package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Calls that meet: of one grant, of one attempt, of one store object, of two time zones. */
abstract class MeetingRules extends StoreRules {

  private static final int CALLERS = 8;
  private static final int ROUNDS = 20;
  private static final int RACES = 40;

  MeetingRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  /** What one of many callers asks of its store. */
  private interface Call<T> {
    T on(LeaseStore store, String owner) throws Exception;
  }

  /** The same from many callers, half of them on another store object where there can be one. */
  private <T> List<T> fromMany(Call<T> call) throws Exception {
    LeaseStore other = anotherStoreIfAny();
    List<Callable<T>> calls = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      LeaseStore one = i % 2 == 0 ? store() : other;
      String owner = "caller-" + i;
      calls.add(() -> call.on(one, owner));
    }
    return AtOnce.call(calls);
  }

  @Test
  @DisplayName("L69 a renewal that meets a hand-over never undoes it")
  void aRenewalThatMeetsAHandOverNeverUndoesIt() throws Exception {
    LeaseStore other = anotherStoreIfAny();
    LeaseName name = name("job");
    Lease current = grant(name, ALICE);
    for (int race = 0; race < RACES; race++) {
      Lease held = current;
      // Now one comes a little later, now the other: so that each order is seen, and the middle.
      Duration renewalLate = Duration.ofNanos(race % 4 * 400_000L);
      Duration handOverLate = Duration.ofNanos(race % 3 * 400_000L);
      List<Object> answers =
          AtOnce.call(
              List.of(
                  () -> {
                    pause(renewalLate);
                    return store().renew(held, LONG.multipliedBy(2));
                  },
                  () -> {
                    pause(handOverLate);
                    other.release(held, Duration.ZERO);
                    return other.acquire(name, BOB, newAttempt(), LONG);
                  }));
      current = granted((AcquireAnswer) answers.get(1), "a released name");
      assertUntouched(current);
    }
  }

  @Test
  @DisplayName("L70 one attempt sent by many at one instant gets one grant")
  void oneAttemptSentByManyGetsOneGrant() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      LeaseName name = name("round-" + round);
      String attempt = newAttempt();

      List<AcquireAnswer> answers =
          fromMany((one, owner) -> one.acquire(name, ALICE, attempt, LONG));

      Set<Long> tokens = new HashSet<>();
      for (AcquireAnswer answer : answers) {
        tokens.add(granted(answer, "an attempt sent again has its grant").token().value());
      }
      assertThat(tokens).as("one attempt, one token").hasSize(1);
    }
  }

  @Test
  @DisplayName("L71 many threads on one store object are each answered about their own name")
  void manyThreadsAreEachAnsweredAboutTheirOwnName() throws Exception {
    List<String> done =
        fromMany(
            (one, owner) -> {
              LeaseName name = name("of-" + owner);
              for (int round = 0; round < ROUNDS; round++) {
                Lease lease = granted(one.acquire(name, owner, newAttempt(), LONG), "an own name");
                assertThat(lease.name()).as("a grant of the own name").isEqualTo(name);
                assertThat(one.read(name).map(LeaseView::owner))
                    .as("a read of the own name")
                    .contains(owner);
                assertThat(renewed(one.renew(lease, LONG), "an own lease").name())
                    .as("a renewal of the own name")
                    .isEqualTo(name);
                assertThat(one.release(lease, Duration.ZERO))
                    .as("a release of the own name")
                    .isEqualTo(ReleaseAnswer.RELEASED);
              }
              return owner;
            });
    assertThat(done).hasSize(CALLERS);
  }

  @Test
  @ResourceLock(Resources.TIME_ZONE)
  @DisplayName("L72 instants mean the same in every time zone")
  void instantsMeanTheSameInEveryTimeZone() throws Exception {
    TimeZone before = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Seoul"));
      Lease lease =
          granted(anotherStore().acquire(name("job"), ALICE, newAttempt(), LONG), "a free name");
      for (String zone : List.of("America/New_York", "Europe/Berlin", "UTC")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        LeaseView view =
            held(
                anotherStore().acquire(lease.name(), BOB, newAttempt(), LONG),
                "a lease granted in Seoul is live in " + zone);
        assertThat(view.grantedAt())
            .as("a grant in Seoul, seen from %s", zone)
            .isEqualTo(lease.grantedAt());
        assertThat(view.expiresAt())
            .as("an expiry set in Seoul, seen from %s", zone)
            .isEqualTo(lease.expiresAt());
        assertThat(view.remaining()).as("what remains, in %s", zone).isLessThanOrEqualTo(LONG);
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }
}
