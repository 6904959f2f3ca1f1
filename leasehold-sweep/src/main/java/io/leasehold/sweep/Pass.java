package io.leasehold.sweep;

import io.leasehold.election.Term;
import io.leasehold.sweep.PassReport.Depth;
import io.leasehold.sweep.PassReport.End;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * One walk through a window, page by page from the newest item on. It ends within one item of the
 * term's end.
 */
final class Pass<T> {

  private final SweepPlan<T> plan;
  private final InstantSource clock;
  private final Term term;
  private final Depth depth;
  private final Instant since;
  private final Position from;

  /** Told each item that was offered, and whether it was settled. */
  private final BiConsumer<T, Boolean> offered;

  /**
   * The ids at which pages of the current instant ended: coming back to one is going in circles.
   */
  private final Set<String> ends = new HashSet<>();

  private Position reached;
  private int pages;
  private int items;
  private int settled;

  Pass(
      SweepPlan<T> plan,
      InstantSource clock,
      Term term,
      Depth depth,
      Instant since,
      Position from,
      BiConsumer<T, Boolean> offered) {
    this.plan = plan;
    this.clock = clock;
    this.term = term;
    this.depth = depth;
    this.since = since;
    this.from = from;
    this.reached = from;
    this.offered = offered;
    this.ends.add(from.id());
  }

  PassReport run() throws InterruptedException {
    Instant started = clock.instant();
    End end = walk();
    PassReport report =
        new PassReport(
            depth,
            since,
            from,
            reached,
            pages,
            items,
            settled,
            Duration.between(started, clock.instant()),
            end);
    plan.listener().passed(report);
    return report;
  }

  private End walk() throws InterruptedException {
    while (pages < plan.settings().maxPages()) {
      if (!term.isHeld()) {
        return End.TERM_ENDED;
      }
      List<T> page;
      try {
        page = plan.backlog().page(since, reached, plan.settings().pageSize());
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        // An interrupt at the term's end may come back as any exception of a driver.
        if (!term.isHeld()) {
          return End.TERM_ENDED;
        }
        plan.listener().pageFailed(reached, e);
        return End.PAGE_FAILED;
      }
      pages++;
      for (T item : page) {
        if (!term.isHeld()) {
          return End.TERM_ENDED;
        }
        offer(item);
      }
      if (page.size() < plan.settings().pageSize()) {
        return End.COVERED;
      }
      Position oldest = plan.backlog().position(page.get(page.size() - 1));
      if (!advances(oldest)) {
        plan.listener().stalled(reached);
        return End.STALLED;
      }
      reached = oldest;
      if (oldest.instant().isBefore(since)) {
        // Only items that are looked at for as long as they exist are left.
        return End.COVERED;
      }
    }
    return End.OUT_OF_PAGES;
  }

  private boolean advances(Position oldest) {
    if (oldest.instant().isBefore(reached.instant())) {
      ends.clear();
    } else if (oldest.instant().isAfter(reached.instant())) {
      return false;
    }
    return ends.add(oldest.id());
  }

  private void offer(T item) throws InterruptedException {
    items++;
    boolean done = false;
    try {
      done = plan.handler().handle(item, term) == SweepHandler.Outcome.SETTLED;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      if (!term.isHeld()) {
        return; // interrupted at the term's end, most likely: the successor looks at it again
      }
      plan.listener().itemFailed(item, e);
    }
    if (done) {
      settled++;
    }
    offered.accept(item, done);
  }
}
