package io.leasehold.mongodb;

import com.mongodb.client.model.WriteModel;
import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.mongodb.Records.Known;
import io.leasehold.mongodb.StoreClock.Stamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Calls about many names. A bulk of changes says how many matched, not which; so the records are
 * read afterwards, and the reading decides. The bulk is acknowledged by a majority before it is
 * read, so what is read is durable.
 */
record Batches(StoreClock clock, Statements statements, Records records) {

  private static final int ROUNDS = 8;

  /** Look, change, look: three commands, unless nothing is free. */
  List<AcquireAnswer> acquireAll(Call call, List<AcquireRequest> requests) {
    Map<AcquireRequest, AcquireAnswer> answers = new HashMap<>();
    List<AcquireRequest> open = requests;
    Known known = look(call, open);
    for (int round = 0; round < ROUNDS; round++) {
      Stamp stamp = clock.stamp(call);
      List<AcquireRequest> tried = new ArrayList<>();
      List<WriteModel<Document>> changes = new ArrayList<>();
      for (AcquireRequest request : open) {
        LeaseDocument found = known.records().get(request.name().value());
        if (found != null && !isOf(found, request) && found.taken()) {
          answers.put(request, new AcquireAnswer.Held(found.view()));
        } else if (found != null && isOf(found, request) && !found.live()) {
          answers.put(request, new AcquireAnswer.Held(found.view()));
        } else {
          tried.add(request);
          changes.addAll(attempt(request, found, stamp, known.highestReclaimed()));
        }
      }
      if (tried.isEmpty()) {
        return requests.stream().map(answers::get).toList();
      }
      records.bulk(call, changes);
      known = look(call, tried);
      open = new ArrayList<>();
      for (AcquireRequest request : tried) {
        LeaseDocument found = known.records().get(request.name().value());
        if (found != null && isOf(found, request) && found.live()) {
          answers.put(request, new AcquireAnswer.Granted(found.view().asLease()));
        } else {
          open.add(request);
        }
      }
      Known now = known;
      if (open.stream().anyMatch(each -> free(each, now.records().get(each.name().value())))) {
        clock.doubt();
      }
    }
    throw call.unsettled("the records or the server's clock changed at every try");
  }

  private List<WriteModel<Document>> attempt(
      AcquireRequest request, @Nullable LeaseDocument found, Stamp stamp, long highestReclaimed) {
    if (found == null) {
      long before = Statements.beforeFirst(stamp, highestReclaimed);
      return List.of(
          statements.create(request, stamp, before),
          statements.claim(request, stamp, before).model());
    }
    return List.of(
        (isOf(found, request)
                ? statements.confirm(request, stamp)
                : statements.take(request, stamp))
            .model());
  }

  private static boolean free(AcquireRequest request, @Nullable LeaseDocument found) {
    return found == null || (!found.taken() && !isOf(found, request));
  }

  private Known look(Call call, List<AcquireRequest> requests) {
    return records.look(call, requests.stream().map(each -> each.name().value()).toList());
  }

  private static boolean isOf(LeaseDocument record, AcquireRequest request) {
    return record.attempt().equals(request.attempt());
  }

  /** Change, look: two commands; on a replica set a third where a lease seems to be lost. */
  List<RenewAnswer> renewAll(Call call, List<Lease> leases, Duration ttl) {
    Map<Lease, RenewAnswer> answers = new HashMap<>();
    List<Lease> open = leases;
    for (int round = 0; round < ROUNDS; round++) {
      Stamp stamp = clock.stamp(call);
      records.bulk(
          call, open.stream().map(each -> statements.renew(each, ttl, stamp).model()).toList());
      Known known = records.look(call, names(open));
      List<Lease> lost = open.stream().filter(each -> !holds(known, each)).toList();
      Known certain = records.ascertainAfter(call, known, names(lost));
      long until = stamp.plus(ttl).getValue();
      List<Lease> refused = new ArrayList<>();
      for (Lease lease : open) {
        LeaseDocument found = certain.records().get(lease.name().value());
        if (!holds(certain, lease)) {
          answers.put(
              lease, new RenewAnswer.Lost(Optional.ofNullable(found).map(LeaseDocument::view)));
        } else if (found != null && found.expires() >= until) {
          answers.put(lease, new RenewAnswer.Renewed(found.view().asLease()));
        } else {
          refused.add(lease);
        }
      }
      if (refused.isEmpty()) {
        return leases.stream().map(answers::get).toList();
      }
      open = refused;
      clock.doubt();
    }
    throw call.unsettled("the server's clock could not be followed closely enough");
  }

  private static boolean holds(Known known, Lease lease) {
    LeaseDocument found = known.records().get(lease.name().value());
    return found != null && found.isOf(lease) && found.live();
  }

  /** Look, change: two commands, and a third where something changed between them. */
  List<ReleaseAnswer> releaseAll(Call call, List<Lease> leases, Duration linger) {
    Map<Lease, ReleaseAnswer> answers = new HashMap<>();
    List<Lease> open = leases;
    for (int round = 0; round < ROUNDS; round++) {
      Known known = records.ascertain(call, names(open));
      Stamp stamp = clock.stamp(call);
      List<Lease> live = new ArrayList<>();
      List<WriteModel<Document>> changes = new ArrayList<>();
      for (Lease lease : open) {
        LeaseDocument found = known.records().get(lease.name().value());
        if (found != null && found.isOf(lease) && found.live()) {
          live.add(lease);
          Instant granted = Instant.ofEpochMilli(found.granted());
          changes.add(statements.release(lease, granted, linger, stamp).model());
        } else {
          // What was live when we looked and has been given back since, was given back by us.
          boolean ours = round > 0 && found != null && found.isOf(lease) && found.released();
          answers.put(
              lease, ours ? ReleaseAnswer.RELEASED : MongoLeaseStore.notReleased(lease, found));
        }
      }
      if (live.isEmpty()) {
        return leases.stream().map(answers::get).toList();
      }
      if (records.bulk(call, changes) == live.size()) {
        live.forEach(lease -> answers.put(lease, ReleaseAnswer.RELEASED));
        return leases.stream().map(answers::get).toList();
      }
      open = live;
      clock.doubt();
    }
    throw call.unsettled("the server's clock could not be followed closely enough");
  }

  private static List<String> names(List<Lease> leases) {
    return leases.stream().map(each -> each.name().value()).toList();
  }
}
