package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many candidates, many store objects, one truth. */
abstract class SharedRules extends StoreRules {

  private static final int CANDIDATES = 8;
  private static final int ROUNDS = 40;

  SharedRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName(
      "L59 of eight candidates at one instant exactly one wins, and nobody gets an exception")
  void ofEightCandidatesExactlyOneWins() throws Exception {
    List<LeaseStore> stores = candidates();
    List<Lease> former = formerHolders();
    CyclicBarrier start = new CyclicBarrier(CANDIDATES);
    List<List<AcquireAnswer>> answers =
        inParallel(
            candidate -> {
              List<AcquireAnswer> mine = new ArrayList<>();
              for (int round = 0; round < ROUNDS; round++) {
                String owner = "candidate-" + candidate;
                start.await(fixture.patience().toNanos(), TimeUnit.NANOSECONDS);
                mine.add(stores.get(candidate).acquire(round(round), owner, newAttempt(), LONG));
              }
              return mine;
            });
    for (int round = 0; round < ROUNDS; round++) {
      List<Lease> winners = new ArrayList<>();
      for (List<AcquireAnswer> mine : answers) {
        if (mine.get(round) instanceof AcquireAnswer.Granted granted) {
          winners.add(granted.lease());
        }
      }
      assertThat(winners).as("exactly one candidate wins round %s", round).hasSize(1);
      assertUntouched(winners.get(0));
      if (round % 2 == 1) {
        assertThat(winners.get(0).token().value())
            .as("the winner of round %s supersedes its former holder", round)
            .isGreaterThan(former.get(round / 2).token().value());
      }
    }
  }

  /** Every odd round has a record already, whose lease has expired. */
  private List<Lease> formerHolders() {
    List<Lease> former = new ArrayList<>();
    for (int round = 1; round < ROUNDS; round += 2) {
      former.add(granted(acquire(round(round), ALICE, Duration.ofMillis(1)), "a free name"));
    }
    letExpire(former.get(former.size() - 1));
    return former;
  }

  private LeaseName round(int round) {
    return name("round-" + round);
  }

  @Test
  @DisplayName("L60 tokens of a name that changes hands all the time never repeat")
  void tokensUnderContentionNeverRepeat() throws Exception {
    List<LeaseStore> stores = candidates();
    LeaseName name = name("job");
    List<List<Lease>> grants =
        inParallel(
            candidate -> {
              LeaseStore mine = stores.get(candidate);
              List<Lease> taken = new ArrayList<>();
              for (int i = 0; i < ROUNDS; i++) {
                if (mine.acquire(name, "candidate-" + candidate, newAttempt(), LONG)
                    instanceof AcquireAnswer.Granted granted) {
                  taken.add(granted.lease());
                  ReleaseAnswer answer = mine.release(granted.lease(), Duration.ZERO);
                  assertThat(answer).as("a holder's release").isEqualTo(ReleaseAnswer.RELEASED);
                }
              }
              return taken;
            });
    List<Long> tokens = new ArrayList<>();
    for (List<Lease> taken : grants) {
      List<Long> mine = taken.stream().map(lease -> lease.token().value()).toList();
      assertThat(mine).as("each candidate sees its tokens grow").isSorted();
      tokens.addAll(mine);
    }
    assertThat(tokens).as("somebody was granted the name").isNotEmpty();
    assertThat(tokens).as("no token is granted twice").doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("L61 two store objects over one database see one truth")
  void twoStoreObjectsSeeOneTruth() throws Exception {
    LeaseName name = name("job");
    LeaseStore other = anotherStore();
    Lease first = grant(name, ALICE);

    assertThat(other.read(name).map(view -> view.isOf(first)))
        .as("what one grants the other reads")
        .contains(true);
    held(other.acquire(name, BOB, newAttempt(), LONG), "what one grants the other refuses");
    renewed(other.renew(first, LONG), "a lease is of the database, not of the store object");
    assertThat(other.release(first, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);

    Lease last = first;
    for (LeaseStore next : List.of(other, store(), anotherStore(), other)) {
      Lease lease = granted(next.acquire(name, BOB, newAttempt(), LONG), "a released name");
      assertThat(lease.token().value())
          .as("tokens are counted in the database, not in the process")
          .isGreaterThan(last.token().value());
      assertThat(store().release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);
      last = lease;
    }
  }

  @Test
  @DisplayName("L62 a caller's clock that is an hour wrong changes nothing")
  void aWrongCallersClockChangesNothing() throws Exception {
    needs(Capability.OWN_CLOCK);
    for (Duration error : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
      InstantSource wrong = () -> InstantSource.system().instant().plus(error);
      LeaseStore skewed =
          closedAfterwards(
              offered(fixture.openStoreOnClock(wrong), "openStoreOnClock(InstantSource)"));
      LeaseName name = name("job" + error.toHours());
      Lease lease = grant(name, ALICE);

      LeaseView refused =
          held(skewed.acquire(name, BOB, newAttempt(), LONG), "a live lease, whatever time it is");
      assertThat(refused.remaining()).as("the store counts").isBetween(Duration.ofNanos(1), LONG);
      Lease renewed = renewed(skewed.renew(lease, LONG), "a live lease, whatever time it is");
      assertThat(renewed.expiresAt())
          .as("the store's clock sets the expiry")
          .isBetween(lease.expiresAt(), lease.expiresAt().plus(LONG));
      assertThat(skewed.release(lease, Duration.ZERO)).isEqualTo(ReleaseAnswer.RELEASED);

      Lease mine = granted(skewed.acquire(name, BOB, newAttempt(), LONG), "a released name");
      assertThat(Duration.between(lease.grantedAt(), mine.grantedAt()))
          .as("the store's clock dates the grant")
          .isBetween(Duration.ZERO, LONG);
      assertThat(store().read(name)).as("others see it live").isPresent();
      skewed.abandon(name, BOB, mine.attempt());

      Lease brief = grantShort(name, ALICE);
      letExpire(brief);
      assertThat(skewed.read(name)).as("expired, whatever time it is").isEmpty();
      granted(skewed.acquire(name, BOB, newAttempt(), LONG), "expired, whatever time it is");
    }
  }

  private List<LeaseStore> candidates() throws Exception {
    List<LeaseStore> stores = new ArrayList<>();
    for (int i = 0; i < CANDIDATES; i++) {
      stores.add(anotherStoreIfAny());
    }
    return stores;
  }

  private interface Candidate<T> {
    T run(int candidate) throws Exception;
  }

  private static <T> List<T> inParallel(Candidate<T> work) throws InterruptedException {
    List<Callable<T>> calls = new ArrayList<>();
    for (int i = 0; i < CANDIDATES; i++) {
      int candidate = i;
      calls.add(() -> work.run(candidate));
    }
    return AtOnce.call(calls);
  }
}
