package io.leasehold.redis;

import io.leasehold.AcquireRequest;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseStoreException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Acquires, and where it was asked for, waits until enough replicas have the grant.
 *
 * <p>{@code WAIT} speaks of what its own connection wrote, and holds up everything behind it on
 * that connection. So acquires have lines of their own then: a renewal never queues behind a
 * replica that is slow. Only grants wait; a refusal has nothing to wait for.
 */
final class ReplicaWait {

  private final ScriptDispatch dispatch;
  private final int replicas;
  private final Duration patience;
  private final BiFunction<LeaseName, String, ScriptCall> abandoning;

  ReplicaWait(
      RedisConnections connections,
      RedisLeaseOptions options,
      BiFunction<LeaseName, String, ScriptCall> abandoning) {
    this.replicas = options.waitForReplicas();
    this.dispatch = replicas == 0 ? connections.dispatch() : connections.dispatchOfGrants();
    this.patience = options.replicaTimeout();
    this.abandoning = abandoning;
  }

  /** Whose lines acquires take. */
  ScriptDispatch dispatch() {
    return dispatch;
  }

  /**
   * Acquires all.
   *
   * @throws LeaseStoreException if an answer is missing, or too few replicas have a grant; then all
   *     grants of this call have been given back, if that was possible
   */
  List<Answer> acquireAll(List<AcquireRequest> requests, List<ScriptCall> calls) {
    List<Answer> answers = dispatch.runAll("acquire", calls);
    if (replicas == 0) {
      return answers;
    }
    Set<Line> lines = new LinkedHashSet<>();
    List<AcquireRequest> granted = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i).word().equals("granted")) {
        lines.add(answers.get(i).line());
        granted.add(requests.get(i));
      }
    }
    try {
      lines.forEach(this::confirm);
    } catch (LeaseStoreException e) {
      giveBack(granted, e);
      throw e;
    }
    return answers;
  }

  private void confirm(Line line) {
    List<Object> answer =
        dispatch.send(
            "acquire",
            line,
            Sent.waiting(replicas, patience.toMillis()),
            patience.plus(dispatch.timeout()));
    long confirmed = answer.get(0) instanceof Long count ? count : 0;
    if (confirmed < replicas) {
      String why =
          "was granted, but only "
              + confirmed
              + " of "
              + replicas
              + " replicas had it within "
              + patience
              + "; the grant is given back";
      throw dispatch.failure(Outcome.UNKNOWN, "acquire", why, null);
    }
  }

  private void giveBack(List<AcquireRequest> granted, LeaseStoreException why) {
    List<ScriptCall> calls =
        granted.stream().map(each -> abandoning.apply(each.name(), each.attempt())).toList();
    try {
      dispatch.runAll("abandon", calls);
    } catch (LeaseStoreException e) {
      why.addSuppressed(e); // the caller abandons what is not answered, too
    }
  }
}
