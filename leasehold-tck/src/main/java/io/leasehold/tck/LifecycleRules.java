package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.leasehold.Lease;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How a store object behaves towards its process: closing it, interrupting it. */
abstract class LifecycleRules extends StoreRules {

  private static final int INTERRUPTS = 10;

  LifecycleRules(LeaseStoreFixture fixture) {
    super(fixture);
  }

  @Test
  @DisplayName("L81 closing a store twice is the same as once")
  void closingTwiceIsTheSameAsOnce() throws Exception {
    LeaseStore one = anotherStoreIfAny();
    Lease lease = granted(one.acquire(name("job"), ALICE, newAttempt(), LONG), "a free name");

    assertThatCode(one::close).as("a store can be closed").doesNotThrowAnyException();
    assertThatCode(one::close).as("a closed store can be closed").doesNotThrowAnyException();

    if (can(Capability.SHARED)) {
      assertThat(record(lease.name()).isLive()).as("other store objects go on").isTrue();
    }
  }

  @Test
  @DisplayName("L82 an interrupt is not swallowed, and the store goes on working")
  void anInterruptIsNotSwallowed() {
    Lease lease = grant(name("job"), ALICE);
    try {
      for (int i = 0; i < INTERRUPTS; i++) {
        Thread.currentThread().interrupt();
        try {
          if (i % 2 == 0) {
            store().read(lease.name());
          } else {
            store().renew(lease, LONG);
          }
        } catch (LeaseStoreException e) {
          // No answer is as good as an answer here: the caller wanted to be gone.
        } catch (RuntimeException e) {
          throw new AssertionError(
              "an interrupted call answers or throws LeaseStoreException, not " + e, e);
        }
        assertThat(Thread.interrupted())
            .as("the interrupt is still pending when the call returns")
            .isTrue();
      }
    } finally {
      // The rest of the test, and the next test on this thread, are not to be interrupted.
      Thread.interrupted();
    }

    try {
      assertThat(store().read(lease.name())).as("the store answers as before").isPresent();
      assertThat(store().release(lease, Duration.ZERO))
          .as("the store answers as before")
          .isEqualTo(ReleaseAnswer.RELEASED);
    } catch (RuntimeException e) {
      throw new AssertionError("after an interrupt the store answers as before, without " + e, e);
    }
  }
}
