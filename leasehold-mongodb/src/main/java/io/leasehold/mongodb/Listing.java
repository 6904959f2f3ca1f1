package io.leasehold.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lte;

import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import io.leasehold.LeasePage;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.mongodb.StoreClock.Stamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.Document;

/** Calls about records by the page: listing them and deleting old ones. */
record Listing(StoreClock clock, Records records) {

  private static final int RECLAIM_STEP = 500;

  /** Looks a little beyond the estimate for what may have ended; the deletion asks the clock. */
  private static final Duration RECLAIM_REACH = Duration.ofSeconds(1);

  /** One page, by name. */
  LeasePage page(Call call, String prefix, Page page) {
    List<LeaseDocument> found =
        records.ordered(call, Statements.from(prefix, page.cursor()), page.size() + 1);
    List<LeaseView> views =
        found.stream()
            .takeWhile(record -> record.name().startsWith(prefix))
            .limit(page.size())
            .map(LeaseDocument::view)
            .toList();
    boolean more = found.size() > page.size() && found.get(page.size()).name().startsWith(prefix);
    return new LeasePage(
        views, more ? Optional.of(views.get(views.size() - 1).name().value()) : Optional.empty());
  }

  /**
   * Deletes some of the oldest. The highest of their tokens is kept first, so that a name which
   * comes back within the error of the clock still gets a greater one; a record that was granted
   * again meanwhile has a greater token, or has not ended, and stays.
   *
   * @return how many it deleted
   */
  long reclaimStep(Call call, Duration endedFor) {
    Stamp stamp = clock.stamp(call);
    List<Document> oldest =
        call.reading()
            .find(lte(LeaseDocument.EXPIRES, stamp.plus(RECLAIM_REACH.minus(endedFor))))
            .projection(Projections.include(LeaseDocument.TOKEN))
            .sort(Sorts.ascending(LeaseDocument.EXPIRES))
            .limit(RECLAIM_STEP)
            .into(new ArrayList<>());
    // What is no lease record is none of ours to delete.
    oldest.removeIf(each -> !(each.get(LeaseDocument.TOKEN) instanceof Long));
    if (oldest.isEmpty()) {
      return 0;
    }
    long highest =
        oldest.stream().mapToLong(each -> each.getLong(LeaseDocument.TOKEN)).max().orElse(0);
    List<Object> ids = oldest.stream().map(each -> each.get(LeaseDocument.ID)).toList();
    call.writing()
        .updateOne(
            eq(LeaseDocument.ID, Statements.RECLAIMED_ID),
            Updates.max(Statements.HIGHEST, highest),
            new UpdateOptions().upsert(true));
    return call.writing()
        .deleteMany(
            and(
                in(LeaseDocument.ID, ids),
                lte(LeaseDocument.TOKEN, highest),
                clock.endedFor(stamp, endedFor)))
        .getDeletedCount();
  }
}
