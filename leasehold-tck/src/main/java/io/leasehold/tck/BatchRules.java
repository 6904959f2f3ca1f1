package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many leases in one call: each is decided for itself. */
abstract class BatchRules extends StoreRules {

  BatchRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L55 acquireAll answers each request for itself, in order")
  void acquireAllAnswersEachForItself() {
    Lease taken = grant(name("taken"), ALICE);
    Lease again = grant(name("again"), BOB);
    Lease freed = grant(name("freed"), ALICE);
    store().release(freed, Duration.ZERO);

    List<AcquireAnswer> answers =
        store()
            .acquireAll(
                List.of(
                    request(name("z-new")),
                    request(taken.name()),
                    new AcquireRequest(again.name(), BOB, again.attempt(), LONG),
                    request(freed.name()),
                    new AcquireRequest(name("a-new"), ALICE, newAttempt(), LONG.multipliedBy(2))));

    assertThat(answers).as("one answer per request").hasSize(5);
    assertThat(granted(answers.get(0), "a free name").name()).isEqualTo(name("z-new"));
    assertThat(held(answers.get(1), "a name that is held").isOf(taken)).isTrue();
    assertThat(granted(answers.get(2), "the same attempt again").token()).isEqualTo(again.token());
    assertThat(granted(answers.get(3), "a released name").token().value())
        .isGreaterThan(freed.token().value());
    Lease last = granted(answers.get(4), "another free name");
    assertThat(last.name()).isEqualTo(name("a-new"));
    assertThat(last.expiresAt())
        .as("each request has its own TTL")
        .isEqualTo(last.grantedAt().plus(LONG.multipliedBy(2)));
    for (int i : new int[] {0, 3, 4}) {
      assertUntouched(((AcquireAnswer.Granted) answers.get(i)).lease());
    }
  }

  @Test
  @DisplayName("L56 renewAll answers each lease for itself, in order")
  void renewAllAnswersEachForItself() {
    Lease expired = grantShort(name("expired"), ALICE);
    Lease superseded = grantShort(name("superseded"), ALICE);
    letExpire(superseded);
    letExpire(expired);
    Lease successor = grant(superseded.name(), BOB);
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease first = grant(name("z-first"), ALICE);
    Lease last = grant(name("a-last"), ALICE);
    Duration longer = LONG.multipliedBy(2);

    List<RenewAnswer> answers =
        store()
            .renewAll(
                List.of(
                    first,
                    believedLive(superseded),
                    released,
                    inventedLease(name("nobody")),
                    believedLive(expired),
                    withAttempt(successor, newAttempt()),
                    last),
                longer);

    assertThat(answers).as("one answer per lease").hasSize(7);
    for (int i : new int[] {0, 6}) {
      Lease asked = i == 0 ? first : last;
      Lease renewed = renewed(answers.get(i), "a live lease among lost ones is renewed");
      assertThat(renewed.name()).as("answers come in order").isEqualTo(asked.name());
      assertThat(renewed.token()).isEqualTo(asked.token());
      assertThat(renewed.expiresAt()).isAfterOrEqualTo(asked.grantedAt().plus(longer));
      assertUntouched(renewed);
    }
    assertLostTo(answers.get(1), successor, "superseded");
    assertLostTo(answers.get(2), released, "released");
    assertThat(lost(answers.get(3), "never granted")).isEmpty();
    assertLostTo(answers.get(4), expired, "expired");
    assertLostTo(answers.get(5), successor, "another attempt");
    assertUntouched(successor);
    assertThat(recordIfAny(name("nobody"))).as("renewAll creates nothing").isEmpty();
  }

  @Test
  @DisplayName("L57 releaseAll answers each lease for itself, in order")
  void releaseAllAnswersEachForItself() {
    Lease superseded = grantShort(name("superseded"), ALICE);
    letExpire(superseded);
    Lease successor = grant(superseded.name(), BOB);
    Lease released = grant(name("released"), ALICE);
    store().release(released, Duration.ZERO);
    Lease first = grant(name("z-first"), ALICE);
    Lease last = grant(name("a-last"), ALICE);

    List<ReleaseAnswer> answers =
        store()
            .releaseAll(
                List.of(first, superseded, released, inventedLease(name("nobody")), last),
                Duration.ZERO);

    assertThat(answers)
        .containsExactly(
            ReleaseAnswer.RELEASED,
            ReleaseAnswer.LOST,
            ReleaseAnswer.ALREADY_ENDED,
            ReleaseAnswer.ALREADY_ENDED,
            ReleaseAnswer.RELEASED);
    assertUntouched(successor);
    granted(acquire(first.name(), BOB, LONG), "the first is free");
    granted(acquire(last.name(), BOB, LONG), "the last is free");
  }

  @Test
  @DisplayName("L58 no list is too short or too long")
  void noListIsTooShortOrTooLong() {
    assertThat(store().acquireAll(List.of())).isEmpty();
    assertThat(store().renewAll(List.of(), LONG)).isEmpty();
    assertThat(store().releaseAll(List.of(), Duration.ZERO)).isEmpty();

    List<AcquireRequest> requests = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      requests.add(request(name("many-" + i)));
    }
    List<Lease> leases = new ArrayList<>();
    for (AcquireAnswer answer : store().acquireAll(requests)) {
      leases.add(granted(answer, "each of a thousand free names"));
    }
    assertThat(leases.stream().map(Lease::name).toList())
        .as("in the order of the requests")
        .isEqualTo(requests.stream().map(AcquireRequest::name).toList());
    Collections.shuffle(leases, new Random(7));
    List<LeaseName> names = leases.stream().map(Lease::name).toList();
    List<LeaseName> renewed =
        store().renewAll(leases, LONG).stream()
            .map(answer -> renewed(answer, "each of a thousand live leases").name())
            .toList();
    assertThat(renewed).as("in the order of the leases").isEqualTo(names);
    assertThat(store().releaseAll(leases, Duration.ZERO))
        .hasSize(1000)
        .containsOnly(ReleaseAnswer.RELEASED);
  }

  private static void assertLostTo(RenewAnswer answer, Lease record, String what) {
    assertThat(lost(answer, what).map(view -> view.isOf(record)))
        .as("%s: the answer shows the record as it is", what)
        .contains(true);
  }

  private static AcquireRequest request(LeaseName name) {
    return new AcquireRequest(name, ALICE, newAttempt(), LONG);
  }
}
