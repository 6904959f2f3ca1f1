package io.leasehold.keeper;

import io.leasehold.LeaseStoreException;
import io.leasehold.internal.StoreCalls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Store calls that their caller waits for, but not for ever. Thread-safe. */
final class BoundedCalls {

  private final StoreCalls calls;

  /** The keeper's roster numbers its own calls from one; these stay clear of them. */
  private final AtomicLong ids = new AtomicLong(Long.MAX_VALUE / 2);

  BoundedCalls(StoreCalls calls) {
    this.calls = calls;
  }

  /**
   * Takes something: runs the call on a thread of its own and waits for it, at most for so long.
   * What is answered after that goes to {@code late}.
   *
   * @throws LeaseStoreException if there was no answer, whatever the store threw
   */
  <T> T take(Supplier<T> call, Duration bound, Consumer<T> late) {
    return await(false, call, bound, late);
  }

  /** Gives something back, in the same way. */
  <T> T giveBack(Supplier<T> call, Duration bound) {
    return await(true, call, bound, late -> {});
  }

  /** Gives something back without waiting for it. */
  void giveBackLater(Runnable call, Consumer<Throwable> failed) {
    calls.run(
        ids.incrementAndGet(),
        true,
        () -> {
          call.run();
          return true;
        },
        done -> {},
        failed);
  }

  private <T> T await(boolean givesBack, Supplier<T> call, Duration bound, Consumer<T> late) {
    long id = ids.incrementAndGet();
    CompletableFuture<T> answer = new CompletableFuture<>();
    calls.run(
        id,
        givesBack,
        call,
        value -> {
          if (!answer.complete(value)) {
            late.accept(value);
          }
        },
        answer::completeExceptionally);
    try {
      return answer.get(bound.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LeaseStoreException known) {
        throw known;
      }
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw noAnswer(StoreCalls.mayHaveHappened(cause), "the store failed: " + cause, cause);
    } catch (TimeoutException e) {
      giveUp(id, answer);
      throw noAnswer(true, "no answer within " + bound.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      giveUp(id, answer);
      Thread.currentThread().interrupt();
      throw noAnswer(true, "interrupted while waiting for the store", e);
    }
  }

  private void giveUp(long id, CompletableFuture<?> answer) {
    answer.cancel(false); // from here on an answer is late
    calls.cancel(id);
  }

  private static LeaseStoreException noAnswer(boolean unknown, String message, Throwable cause) {
    return new LeaseStoreException(
        unknown ? LeaseStoreException.Outcome.UNKNOWN : LeaseStoreException.Outcome.NOT_APPLIED,
        message,
        cause);
  }
}
