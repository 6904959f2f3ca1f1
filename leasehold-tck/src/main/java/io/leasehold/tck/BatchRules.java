package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseView;
import io.leasehold.LeaseView.State;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many at once: one answer each, in order, each decided for itself. */
abstract class BatchRules extends StoreRules {

  BatchRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  private AcquireRequest request(String rest, String owner, String attempt) {
    return new AcquireRequest(name(rest), owner, attempt, LONG);
  }

  private static <T> void expectOneEach(List<T> answers, List<?> asked) {
    assertThat(answers).as("one answer for each that was asked").hasSameSizeAs(asked);
  }

  @Test
  @DisplayName("L56 acquireAll answers each request for itself, in order")
  void acquireAllAnswersEachForItself() {
    Lease expired = grantShort(name("expired"), BOB);
    Lease taken = grant(name("taken"), BOB);
    Lease own = grant(name("own"), ALICE);
    letExpire(expired);
    List<AcquireRequest> requests =
        List.of(
            request("zebra", ALICE, newAttempt()),
            request("taken", ALICE, newAttempt()),
            request("expired", ALICE, newAttempt()),
            request("own", ALICE, own.attempt()),
            request("aardvark", BOB, newAttempt()));

    List<AcquireAnswer> answers = store().acquireAll(requests);

    expectOneEach(answers, requests);
    for (int i : new int[] {0, 2, 3, 4}) {
      AcquireRequest request = requests.get(i);
      Lease lease = granted(answers.get(i), "each is granted for itself");
      assertThat(lease.name()).as("answers come in order").isEqualTo(request.name());
      assertThat(lease.attempt()).as("to the attempt that asked").isEqualTo(request.attempt());
      assertThat(lease.owner()).as("to the owner that asked").isEqualTo(request.owner());
      assertThat(record(request.name()).isOf(lease)).as("what is answered is kept").isTrue();
    }
    LeaseView view = held(answers.get(1), "a taken name is refused among others that are free");
    assertThat(view.isOf(taken)).as("the refusal shows the holder").isTrue();
    assertThat(granted(answers.get(3), "the same attempt has its grant").token())
        .as("the same attempt gets the same token")
        .isEqualTo(own.token());
    assertThat(
            granted(answers.get(2), "an expired name is free").token().supersedes(expired.token()))
        .as("a token is strictly greater across expiry")
        .isTrue();
  }

  @Test
  @DisplayName("L57 renewAll answers each lease for itself, in order")
  void renewAllAnswersEachForItself() {
    Lease expired = grantShort(name("expired"), ALICE);
    Lease zebra = grant(name("zebra"), ALICE);
    Lease superseded = grant(name("superseded"), ALICE);
    store().release(superseded, Duration.ZERO);
    Lease successor = grant(superseded.name(), BOB);
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease aardvark = grant(name("aardvark"), ALICE);
    letExpire(expired);
    List<Lease> leases = List.of(zebra, superseded, expired, released, aardvark);

    List<RenewAnswer> answers = store().renewAll(leases, LONG.plus(LONG));

    expectOneEach(answers, leases);
    for (int i : new int[] {0, 4}) {
      Lease renewed = renewed(answers.get(i), "a live lease is renewed among others that are lost");
      assertThat(renewed.name()).as("answers come in order").isEqualTo(leases.get(i).name());
      assertThat(renewed.token()).as("the token is kept").isEqualTo(leases.get(i).token());
      assertThat(renewed.expiresAt()).as("extended").isAfter(leases.get(i).expiresAt());
      assertThat(record(renewed.name()).expiresAt())
          .as("what is answered is kept")
          .isEqualTo(renewed.expiresAt());
    }
    assertThat(lost(answers.get(1), "a superseded lease is lost").map(view -> view.isOf(successor)))
        .as("the answer shows the successor")
        .contains(true);
    assertThat(lost(answers.get(2), "an expired lease is lost").map(LeaseView::state))
        .as("the answer shows that it expired")
        .contains(State.EXPIRED);
    assertThat(lost(answers.get(3), "a released lease is lost").map(LeaseView::state))
        .as("the answer shows that it was released")
        .contains(State.RELEASED);
  }

  @Test
  @DisplayName("L58 releaseAll answers each lease for itself, in order")
  void releaseAllAnswersEachForItself() {
    Lease ended = grant(name("ended"), ALICE);
    store().release(ended, Duration.ZERO);
    Lease zebra = grant(name("zebra"), ALICE);
    Lease superseded = grant(name("superseded"), ALICE);
    store().release(superseded, Duration.ZERO);
    grant(superseded.name(), BOB);
    LeaseView successor = record(superseded.name());
    Lease aardvark = grant(name("aardvark"), ALICE);
    List<Lease> leases = List.of(zebra, superseded, ended, aardvark);

    List<ReleaseAnswer> answers = store().releaseAll(leases, Duration.ZERO);

    assertThat(answers)
        .as("each lease is answered for itself, in order")
        .containsExactly(
            ReleaseAnswer.RELEASED,
            ReleaseAnswer.LOST,
            ReleaseAnswer.ALREADY_ENDED,
            ReleaseAnswer.RELEASED);
    expectUnchanged(successor, "the successor's lease is as it was");
    granted(acquire(zebra.name(), BOB, LONG), "a released name is free");

    Lease lingering = grant(name("lingering"), ALICE);
    assertThat(store().releaseAll(List.of(lingering), LONG))
        .as("a linger holds for many as for one")
        .containsExactly(ReleaseAnswer.RELEASED);
    assertThat(record(lingering.name()).state())
        .as("a linger holds for many as for one")
        .isEqualTo(State.LINGERING);
  }

  @Test
  @DisplayName("L59 a batch of nothing is answered with nothing")
  void aBatchOfNothingIsAnsweredWithNothing() {
    try {
      assertThat(store().acquireAll(List.of())).as("no requests, no answers").isEmpty();
      assertThat(store().renewAll(List.of(), LONG)).as("no leases, no answers").isEmpty();
      assertThat(store().releaseAll(List.of(), LONG)).as("no leases, no answers").isEmpty();
    } catch (RuntimeException e) {
      throw new AssertionError("nothing is answered with nothing, not with " + e, e);
    }
  }

  @Test
  @DisplayName("L60 a large batch is answered whole, in order")
  void aLargeBatchIsAnsweredWhole() {
    List<AcquireRequest> requests = new ArrayList<>();
    for (int i = 0; i < fixture.batch(); i++) {
      requests.add(request("job-" + i, ALICE, newAttempt()));
    }
    Collections.reverse(requests);

    List<AcquireAnswer> acquired = store().acquireAll(requests);
    expectOneEach(acquired, requests);
    List<Lease> leases = new ArrayList<>();
    acquired.forEach(answer -> leases.add(granted(answer, "a free name is granted")));
    List<RenewAnswer> renewed = store().renewAll(leases, LONG.plus(LONG));
    expectOneEach(renewed, leases);
    for (int i = 0; i < leases.size(); i++) {
      assertThat(leases.get(i).name()).as("in order").isEqualTo(requests.get(i).name());
      Lease lease = renewed(renewed.get(i), "a live lease is renewed");
      assertThat(lease.name()).as("in order").isEqualTo(leases.get(i).name());
      assertThat(lease.token()).as("with its own token").isEqualTo(leases.get(i).token());
    }
    List<ReleaseAnswer> released = store().releaseAll(leases, Duration.ZERO);
    expectOneEach(released, leases);
    assertThat(released).as("each is released").containsOnly(ReleaseAnswer.RELEASED);
  }
}
