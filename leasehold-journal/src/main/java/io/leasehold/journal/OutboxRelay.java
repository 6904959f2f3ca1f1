package io.leasehold.journal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes pending events: in order per partition key, at least once. An event is marked after it
 * was published, so one whose mark was lost is published again, with the same id.
 *
 * <p>One relay at a time: two would publish twice, and out of order. Elect it, and give it {@code
 * term::isHeld}.
 *
 * <pre>{@code
 * new OutboxRelay(journal, event -> broker.send(event)).pass(term::isHeld);
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class OutboxRelay {

  /** Sends an event. */
  @FunctionalInterface
  public interface Publisher {
    /**
     * Sends an event and returns when it is safe where it was sent.
     *
     * @param event the event; its id is the same at every publication
     * @throws Exception if it may not have arrived; it and the later events of its key are kept for
     *     the next pass
     */
    void publish(PendingEvent event) throws Exception;
  }

  /**
   * What a pass came to.
   *
   * @param published how many events were published and marked
   * @param kept how many were not, because they or an earlier one of their key failed
   */
  public record Report(long published, long kept) {}

  private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);
  private static final int PAGE = 100;

  private final Journal journal;
  private final Publisher publisher;

  /**
   * A relay.
   *
   * @param journal whose events are published
   * @param publisher where to
   */
  public OutboxRelay(Journal journal, Publisher publisher) {
    this.journal = journal;
    this.publisher = publisher;
  }

  /**
   * Publishes what is pending now. A key whose event fails does not hinder the others.
   *
   * @param mayGoOn asked before each event; false ends the pass
   * @return what was published
   * @throws JournalException if the journal gave no answer; what was published and not yet marked
   *     is published again
   */
  public Report pass(BooleanSupplier mayGoOn) {
    Set<String> failed = new HashSet<>();
    long published = 0;
    long kept = 0;
    long after = 0;
    List<PendingEvent> page;
    do {
      page = journal.pendingEvents(after, PAGE);
      List<Long> done = new ArrayList<>();
      try {
        for (PendingEvent event : page) {
          if (!mayGoOn.getAsBoolean()) {
            return new Report(published + done.size(), kept);
          }
          after = event.position();
          if (failed.contains(event.event().partitionKey()) || !sent(event)) {
            failed.add(event.event().partitionKey());
            kept++;
          } else {
            done.add(event.position());
          }
        }
      } finally {
        journal.markPublished(done);
      }
      published += done.size();
    } while (page.size() == PAGE && !Thread.currentThread().isInterrupted());
    return new Report(published, kept);
  }

  private boolean sent(PendingEvent event) {
    try {
      publisher.publish(event);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (Exception e) {
      log.warn("event {} is kept for the next pass: {}", event.id(), e.toString());
      return false;
    }
  }
}
