package io.leasehold.redis;

import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.leasehold.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts to whoever has their keys and gives the answers in order: what every call to the
 * server goes through.
 */
final class ScriptDispatch {

  /** How many calls go out before the first answers are waited for. */
  private static final int MAX_BATCH = 1_000;

  private final String store;
  private final Servers servers;
  private final Duration timeout;
  private final Ticker ticker;

  ScriptDispatch(String store, Servers servers, Duration timeout, Ticker ticker) {
    this.store = store;
    this.servers = servers;
    this.timeout = timeout;
    this.ticker = ticker;
  }

  Servers servers() {
    return servers;
  }

  Duration timeout() {
    return timeout;
  }

  Deadline deadline() {
    return Deadline.in(timeout, ticker);
  }

  /**
   * One call.
   *
   * @throws LeaseStoreException if there was no answer
   */
  Answer run(String what, ScriptCall call) {
    return runAll(what, List.of(call)).get(0);
  }

  /**
   * Many calls.
   *
   * @return an answer for each, in the same order
   * @throws LeaseStoreException if an answer is missing
   */
  List<Answer> runAll(String what, List<ScriptCall> calls) {
    List<Answer> answers = new ArrayList<>(calls.size());
    for (int from = 0; from < calls.size(); from += MAX_BATCH) {
      List<ScriptCall> batch = calls.subList(from, Math.min(calls.size(), from + MAX_BATCH));
      try {
        answers.addAll(new Exchange(this, what, batch).run());
      } catch (LeaseStoreException e) {
        // What earlier batches did has happened.
        throw from == 0 ? e : failure(Outcome.UNKNOWN, what, "was answered in part only", e);
      }
    }
    return answers;
  }

  /** A command that is no script, by a line of the caller's. */
  List<Object> send(String what, Line line, Sent command, Duration within) {
    line.send(List.of(command));
    try {
      return command.get(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(Outcome.UNKNOWN, what, "was interrupted", e);
    } catch (TimeoutException e) {
      line.unanswered();
      throw failure(Outcome.UNKNOWN, what, "was not answered within " + within, e);
    } catch (ExecutionException e) {
      throw failure(Outcome.UNKNOWN, what, "failed: " + reason(e.getCause()), e.getCause());
    } catch (CancellationException e) {
      throw failure(Outcome.UNKNOWN, what, "was cancelled by the driver", e);
    }
  }

  /** The line of a wire, opened within the deadline. */
  Line line(String what, Wire wire, Deadline deadline) {
    try {
      return wire.line().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure(Outcome.NOT_APPLIED, what, "was interrupted while connecting", e);
    } catch (TimeoutException e) {
      servers.suspect();
      throw failure(Outcome.NOT_APPLIED, what, "could not connect within " + timeout, e);
    } catch (ExecutionException e) {
      servers.suspect();
      throw failure(
          Outcome.NOT_APPLIED, what, "could not connect: " + reason(e.getCause()), e.getCause());
    }
  }

  LeaseStoreException failure(Outcome outcome, String what, String why, @Nullable Throwable cause) {
    String message = store + ": " + what + " " + why;
    return cause == null
        ? new LeaseStoreException(outcome, message)
        : new LeaseStoreException(outcome, message, cause);
  }

  static String reason(@Nullable Throwable failure) {
    Throwable root = failure;
    while (root != null && root.getCause() != null) {
      root = root.getCause();
    }
    if (root == null) {
      return "no reason given";
    }
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
  }
}
