package io.leasehold.redis;

import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One batch of script calls, from sending to the last answer. Used by one thread.
 *
 * <p>Usually one round: every server gets its share in one flush, and the shares travel side by
 * side. Another round is taken only by those that were not decided: the server has forgotten the
 * script, or the key has moved.
 */
final class Exchange {

  /** Rounds of one batch; a cluster that redirects more often is in turmoil. */
  private static final int MAX_ROUNDS = 6;

  /** What is still to be decided: which call, and where to. */
  private record Pending(int index, boolean asking, Wire wire) {}

  /** A call that went out. */
  private record OnTheWay(Pending pending, Sent sent, Line line) {}

  private final ScriptDispatch dispatch;
  private final String what;
  private final List<ScriptCall> calls;
  private final List<@Nullable Answer> answers;
  private final Deadline deadline;
  private @Nullable LeaseStoreException failure;
  private boolean mayHaveHappened;

  Exchange(ScriptDispatch dispatch, String what, List<ScriptCall> calls) {
    this.dispatch = dispatch;
    this.what = what;
    this.calls = calls;
    this.answers = new ArrayList<>(Collections.nCopies(calls.size(), null));
    this.deadline = dispatch.deadline();
  }

  /**
   * Runs it.
   *
   * @return an answer to each call, in order
   * @throws LeaseStoreException if one is missing: {@code NOT_APPLIED} only if no call at all can
   *     have happened
   */
  List<Answer> run() {
    List<Pending> open = routed();
    for (int round = 1; !open.isEmpty(); round++) {
      if (round > MAX_ROUNDS) {
        note(dispatch.failure(Outcome.NOT_APPLIED, what, "was redirected too often", null));
        break;
      }
      open = gather(send(open));
    }
    LeaseStoreException missing = failure;
    if (missing != null) {
      throw mayHaveHappened && missing.outcome() == Outcome.NOT_APPLIED
          ? dispatch.failure(Outcome.UNKNOWN, what, "was answered in part only", missing)
          : missing;
    }
    List<Answer> all = new ArrayList<>(answers.size());
    for (Answer answer : answers) {
      if (answer == null) {
        throw new IllegalStateException("a call has neither an answer nor a failure");
      }
      all.add(answer);
    }
    return all;
  }

  private List<Pending> routed() {
    if (Thread.currentThread().isInterrupted()) {
      throw dispatch.failure(Outcome.NOT_APPLIED, what, "was interrupted before it was sent", null);
    }
    List<Pending> open = new ArrayList<>(calls.size());
    try {
      for (int i = 0; i < calls.size(); i++) {
        Wire wire = dispatch.servers().having(calls.get(i).key(), deadline);
        open.add(new Pending(i, false, wire));
      }
    } catch (UnreachableException e) {
      throw dispatch.failure(Outcome.NOT_APPLIED, what, "failed: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw dispatch.failure(Outcome.NOT_APPLIED, what, "was interrupted before it was sent", e);
    }
    return open;
  }

  /** Opens the lines of all shares side by side, and sends only when all are open. */
  private List<OnTheWay> send(List<Pending> open) {
    Map<Wire, List<Pending>> shares = new LinkedHashMap<>();
    for (Pending pending : open) {
      shares.computeIfAbsent(pending.wire(), wire -> new ArrayList<>()).add(pending);
    }
    shares.keySet().forEach(Wire::prepare);
    List<List<OnTheWay>> ready = new ArrayList<>();
    for (Map.Entry<Wire, List<Pending>> share : shares.entrySet()) {
      try {
        Line line = dispatch.line(what, share.getKey(), deadline);
        ready.add(
            share.getValue().stream()
                .map(each -> new OnTheWay(each, sent(each, line), line))
                .toList());
      } catch (LeaseStoreException e) {
        note(e);
        return List.of();
      }
    }
    List<OnTheWay> all = new ArrayList<>(open.size());
    for (List<OnTheWay> share : ready) {
      List<Sent> commands = new ArrayList<>(share.size());
      for (OnTheWay each : share) {
        if (each.pending().asking()) {
          commands.add(Sent.asking());
        }
        commands.add(each.sent());
      }
      share.get(0).line().send(commands);
      all.addAll(share);
    }
    return all;
  }

  private Sent sent(Pending pending, Line line) {
    ScriptCall call = calls.get(pending.index());
    return line.teaches(call.script()) ? Sent.byText(call) : Sent.bySha(call);
  }

  private List<Pending> gather(List<OnTheWay> all) {
    List<Pending> again = new ArrayList<>();
    for (OnTheWay each : all) {
      try {
        List<Object> texts = each.sent().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        answers.set(each.pending().index(), new Answer(texts, each.line()));
        mayHaveHappened = true;
      } catch (InterruptedException e) {
        each.line().unanswered();
        Thread.currentThread().interrupt();
        throw dispatch.failure(Outcome.UNKNOWN, what, "was interrupted", e);
      } catch (TimeoutException e) {
        each.line().unanswered();
        dispatch.servers().suspect();
        String why = "was not answered within " + dispatch.timeout();
        note(dispatch.failure(Outcome.UNKNOWN, what, why, e));
      } catch (ExecutionException e) {
        Pending next = refused(each, e.getCause());
        if (next != null) {
          again.add(next);
        }
      } catch (CancellationException e) {
        note(dispatch.failure(Outcome.UNKNOWN, what, "was cancelled by the driver", e));
      }
    }
    return again;
  }

  /** What follows an error: the next try, or none when the failure is final. */
  private @Nullable Pending refused(OnTheWay each, @Nullable Throwable error) {
    Pending pending = each.pending();
    if (error instanceof RedisNoScriptException) {
      each.line().forget(calls.get(pending.index()).script());
      return pending;
    }
    String message = ScriptDispatch.reason(error);
    if (error instanceof RedisCommandExecutionException) {
      if (message.startsWith("MOVED ") || message.startsWith("ASK ")) {
        try {
          return redirected(pending, message);
        } catch (UnreachableException e) {
          note(dispatch.failure(Outcome.NOT_APPLIED, what, "failed: " + e.getMessage(), e));
          return null;
        }
      }
      if (error instanceof RedisReadOnlyException || message.startsWith("READONLY")) {
        // It was a primary once, or the address leads elsewhere now: look again at the next call.
        each.line().close();
      }
      dispatch.servers().suspect();
      // The scripts write at most once and last, so an error means that nothing was written.
      note(dispatch.failure(Outcome.NOT_APPLIED, what, "was refused: " + message, error));
      return null;
    }
    dispatch.servers().suspect();
    each.line().close();
    if (!each.sent().wasWritten()) {
      // The connection had just been lost and nothing went out: a new one may still serve.
      return pending;
    }
    note(dispatch.failure(Outcome.UNKNOWN, what, "lost its connection: " + message, error));
    return null;
  }

  private Pending redirected(Pending pending, String message) {
    String[] words = message.split(" ", -1);
    int colon = words[2].lastIndexOf(':');
    String host = words[2].substring(0, colon);
    int port = Integer.parseInt(words[2].substring(colon + 1));
    boolean asking = message.startsWith("ASK ");
    if (!asking) {
      dispatch.servers().suspect();
    }
    // An empty host means: the one that answered. Then the new picture has to tell.
    Wire target = host.isEmpty() ? pending.wire() : dispatch.servers().at(host, port);
    return new Pending(pending.index(), asking, target);
  }

  private void note(LeaseStoreException next) {
    if (next.outcome() == Outcome.UNKNOWN) {
      mayHaveHappened = true;
    }
    if (failure == null) {
      failure = next;
    }
  }
}
