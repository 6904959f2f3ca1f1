package io.leasehold.mongodb;

import static org.awaitility.Awaitility.await;

import io.leasehold.LeaseStoreException;
import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for a store that answers again. */
final class Eventually {

  private Eventually() {}

  /** The first answer; a candidate or a holder tries again just so. */
  static <T> T answered(Callable<T> call) {
    return await()
        .atMost(Duration.ofSeconds(15))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(50))
        .ignoreExceptionsInstanceOf(LeaseStoreException.class)
        .until(call, answer -> true);
  }
}
