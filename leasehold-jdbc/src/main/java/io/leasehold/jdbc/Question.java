package io.leasehold.jdbc;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a call asks of one name, and its answer once a statement gave it.
 *
 * <p>This is where a row becomes an answer, for every dialect. A row need not be an answer: a
 * statement that found a name free, and then lost the race for it, returns what it saw before the
 * race. Such a question stays open and is asked again.
 */
abstract class Question<A> {

  private final LeaseName name;
  private @Nullable A answer;

  private Question(LeaseName name) {
    this.name = name;
  }

  final LeaseName name() {
    return name;
  }

  final boolean isOpen() {
    return answer == null;
  }

  final A answer() {
    if (answer == null) {
      throw new IllegalStateException("no answer for " + name);
    }
    return answer;
  }

  final void row(LeaseRow row) {
    answer = decide(row).orElse(null);
  }

  /** A statement that returns no rows changed the record. */
  final void changed() {
    answer = decideChanged().orElse(null);
  }

  final void noRow() {
    answer = decideAbsent().orElse(null);
  }

  /** This question's entry of the statement's parameter. */
  abstract String json();

  /** The answer that a record gives; empty if the question must be asked again. */
  abstract Optional<A> decide(LeaseRow row);

  /** The answer when there is no record; empty if the question must be asked again. */
  abstract Optional<A> decideAbsent();

  /** The answer when all that is known is that the record was changed; empty if it must be read. */
  Optional<A> decideChanged() {
    return Optional.empty();
  }

  static final class Acquire extends Question<AcquireAnswer> {
    private final AcquireRequest request;

    Acquire(AcquireRequest request) {
      super(request.name());
      this.request = request;
    }

    @Override
    String json() {
      return new JsonText()
          .with("name", request.name().value())
          .with("owner", request.owner())
          .with("attempt", request.attempt())
          .with("ttl", request.ttl().toMillis())
          .toString();
    }

    @Override
    Optional<AcquireAnswer> decide(LeaseRow row) {
      LeaseView view = row.view();
      boolean ours = view.attempt().equals(request.attempt());
      if (ours && view.isLive()) {
        return Optional.of(new AcquireAnswer.Granted(view.asLease()));
      }
      // Our attempt in a record that has ended is spent: it never takes a second grant.
      return ours || row.isTaken() ? Optional.of(new AcquireAnswer.Held(view)) : Optional.empty();
    }

    @Override
    Optional<AcquireAnswer> decideAbsent() {
      return Optional.empty();
    }
  }

  static final class Renew extends Question<RenewAnswer> {
    private final Lease lease;
    private final long ttl;

    Renew(Lease lease, long ttl) {
      super(lease.name());
      this.lease = lease;
      this.ttl = ttl;
    }

    @Override
    String json() {
      return grant(lease).with("ttl", ttl).toString();
    }

    @Override
    Optional<RenewAnswer> decide(LeaseRow row) {
      LeaseView view = row.view();
      if (row.changed()) {
        return Optional.of(new RenewAnswer.Renewed(view.asLease()));
      }
      // Ours and live, and yet not renewed: the row was read before a race. Ask again.
      return row.isOf(lease) && view.isLive()
          ? Optional.empty()
          : Optional.of(new RenewAnswer.Lost(Optional.of(view)));
    }

    @Override
    Optional<RenewAnswer> decideAbsent() {
      return Optional.of(new RenewAnswer.Lost(Optional.empty()));
    }
  }

  static final class Release extends Question<ReleaseAnswer> {
    private final Lease lease;
    private final long linger;
    private final long mark;

    /**
     * Gives a lease back.
     *
     * @param mark a number of this call only, by which a store that cannot return what it updated
     *     tells its own release from an earlier one
     */
    Release(Lease lease, long linger, long mark) {
      super(lease.name());
      this.lease = lease;
      this.linger = linger;
      this.mark = mark;
    }

    @Override
    String json() {
      return grant(lease).with("linger", linger).with("mark", mark).toString();
    }

    @Override
    Optional<ReleaseAnswer> decide(LeaseRow row) {
      if (row.changed()) {
        return Optional.of(ReleaseAnswer.RELEASED);
      }
      if (row.isOf(lease)) {
        return row.view().isLive() ? Optional.empty() : Optional.of(ReleaseAnswer.ALREADY_ENDED);
      }
      return Optional.of(row.isTaken() ? ReleaseAnswer.LOST : ReleaseAnswer.ALREADY_ENDED);
    }

    @Override
    Optional<ReleaseAnswer> decideChanged() {
      return Optional.of(ReleaseAnswer.RELEASED);
    }

    @Override
    Optional<ReleaseAnswer> decideAbsent() {
      return Optional.of(ReleaseAnswer.ALREADY_ENDED);
    }
  }

  /** The answer says whether something was given back. */
  static final class Abandon extends Question<Boolean> {
    private final String attempt;
    private final long mark;

    Abandon(LeaseName name, String attempt, long mark) {
      super(name);
      this.attempt = attempt;
      this.mark = mark;
    }

    @Override
    String json() {
      return new JsonText()
          .with("name", name().value())
          .with("attempt", attempt)
          .with("mark", mark)
          .toString();
    }

    @Override
    Optional<Boolean> decide(LeaseRow row) {
      boolean oursStill = row.view().attempt().equals(attempt) && row.view().isLive();
      return oursStill ? Optional.empty() : Optional.of(row.changed());
    }

    @Override
    Optional<Boolean> decideChanged() {
      return Optional.of(true);
    }

    @Override
    Optional<Boolean> decideAbsent() {
      return Optional.of(false);
    }
  }

  static final class Read extends Question<Optional<LeaseView>> {

    Read(LeaseName name) {
      super(name);
    }

    @Override
    String json() {
      return new JsonText().with("name", name().value()).toString();
    }

    @Override
    Optional<Optional<LeaseView>> decide(LeaseRow row) {
      return Optional.of(row.view().isLive() ? Optional.of(row.view()) : Optional.empty());
    }

    @Override
    Optional<Optional<LeaseView>> decideAbsent() {
      return Optional.of(Optional.empty());
    }
  }

  private static JsonText grant(Lease lease) {
    return new JsonText()
        .with("name", lease.name().value())
        .with("token", lease.token().value())
        .with("attempt", lease.attempt());
  }
}
