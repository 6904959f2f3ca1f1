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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many callers at one instant. */
abstract class ConcurrencyRules extends StoreRules {

  private static final int CANDIDATES = 8;
  private static final int ROUNDS = 20;

  ConcurrencyRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  /** A call per candidate, half of them on another store object where there can be one. */
  private <T> List<Callable<T>> candidates(CandidateCall<T> call) throws Exception {
    LeaseStore other = anotherStoreIfAny();
    List<Callable<T>> calls = new ArrayList<>();
    for (int i = 0; i < CANDIDATES; i++) {
      LeaseStore one = i % 2 == 0 ? store() : other;
      String owner = "candidate-" + i;
      calls.add(() -> call.on(one, owner));
    }
    return calls;
  }

  /** What a candidate asks of its store. */
  private interface CandidateCall<T> {
    T on(LeaseStore store, String owner) throws Exception;
  }

  @Test
  @DisplayName(
      "L68 of eight candidates at one instant exactly one wins, and nobody gets an exception")
  void ofEightCandidatesExactlyOneWins() throws Exception {
    List<LeaseName> names = new ArrayList<>();
    List<Optional<Lease>> formerHolders = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      LeaseName name = name("round-" + round);
      names.add(name);
      // Odd rounds are won over a holder whose lease has expired, even ones over no record at all.
      boolean odd = round % 2 == 1;
      formerHolders.add(odd ? Optional.of(grantShort(name, "former")) : Optional.empty());
    }
    formerHolders.stream().flatMap(Optional::stream).forEach(this::letExpire);

    List<Callable<List<AcquireAnswer>>> calls =
        candidates(
            (one, owner) -> {
              List<AcquireAnswer> answers = new ArrayList<>();
              for (LeaseName name : names) {
                answers.add(one.acquire(name, owner, newAttempt(), LONG));
              }
              return answers;
            });
    List<List<AcquireAnswer>> all = AtOnce.call(calls);

    for (int round = 0; round < names.size(); round++) {
      List<Lease> winners = new ArrayList<>();
      List<LeaseView> refusals = new ArrayList<>();
      for (List<AcquireAnswer> answers : all) {
        if (answers.get(round) instanceof AcquireAnswer.Granted granted) {
          winners.add(granted.lease());
        } else {
          refusals.add(held(answers.get(round), "granted or held"));
        }
      }
      assertThat(winners).as("exactly one wins %s", names.get(round)).hasSize(1);
      Lease winner = winners.get(0);
      assertThat(refusals)
          .as("every other is told who won %s", names.get(round))
          .allMatch(view -> view.isOf(winner));
      assertThat(formerHolders.get(round).stream())
          .as("the winner's token is greater than the former holder's")
          .allMatch(former -> winner.token().supersedes(former.token()));
    }
  }

  @Test
  @DisplayName("L69 one attempt sent many times at one instant gets one grant")
  void oneAttemptSentManyTimesGetsOneGrant() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      LeaseName name = name("round-" + round);
      String attempt = newAttempt();
      List<AcquireAnswer> answers =
          AtOnce.call(candidates((one, owner) -> one.acquire(name, ALICE, attempt, LONG)));

      Set<Long> tokens = new HashSet<>();
      for (AcquireAnswer answer : answers) {
        tokens.add(granted(answer, "an attempt sent again has its grant still").token().value());
      }
      assertThat(tokens).as("one attempt gets one token").hasSize(1);
    }
  }

  @Test
  @DisplayName("L70 many threads on one store object are each answered about their own name")
  void manyThreadsAreEachAnsweredForThemselves() throws Exception {
    AtOnce.call(
        candidates(
            (one, owner) -> {
              for (int i = 0; i < ROUNDS; i++) {
                LeaseName name = name("of-" + owner);
                Lease lease =
                    granted(one.acquire(name, owner, newAttempt(), LONG), "an own name is free");
                assertThat(lease.name()).as("the answer is about the own name").isEqualTo(name);
                assertThat(one.read(name).map(LeaseView::owner))
                    .as("a read is about the own name")
                    .contains(owner);
                renewed(one.renew(lease, LONG), "an own lease is renewed");
                assertThat(one.release(lease, Duration.ZERO))
                    .as("an own lease is released")
                    .isEqualTo(ReleaseAnswer.RELEASED);
              }
              return owner;
            }));
  }
}
