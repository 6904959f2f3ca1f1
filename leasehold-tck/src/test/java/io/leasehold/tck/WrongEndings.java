package io.leasehold.tck;

import static io.leasehold.tck.WrongStore.wrong;

import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.ReleaseAnswer;
import io.leasehold.tck.OpenDatabase.Row;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Stores that are wrong about tokens, records, and how a lease ends. */
final class WrongEndings {

  private WrongEndings() {}

  static List<WrongStore> counting() {
    return List.of(
        wrong(
            "a token restarts after expiry",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  long nextToken(Row old) {
                    return old.released() ? super.nextToken(old) : 1;
                  }
                },
            "L14",
            "L56",
            "L68"),
        wrong(
            "a token restarts after release",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  ReleaseAnswer decideRelease(Lease lease, Duration linger, long now) {
                    ReleaseAnswer answer = super.decideRelease(lease, linger, now);
                    if (answer == ReleaseAnswer.RELEASED) {
                      find(lease.name().value()).ifPresent(row -> released.add(row.name()));
                    }
                    return answer;
                  }

                  @Override
                  long nextToken(Row old) {
                    return released.remove(old.name()) ? old.token() : super.nextToken(old);
                  }

                  private final Set<String> released = ConcurrentHashMap.newKeySet();
                },
            "L15",
            "L19",
            "L72",
            "L73"),
        wrong(
            "a token is not counted when an attempt is abandoned",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public void abandon(LeaseName name, String owner, String attempt) {
                    super.abandon(name, owner, attempt);
                    find(name.value())
                        .filter(row -> sameAttempt(row, attempt) && !taken(row, now()))
                        .ifPresent(row -> abandoned.add(row.name()));
                  }

                  @Override
                  long nextToken(Row old) {
                    return abandoned.remove(old.name()) ? old.token() : super.nextToken(old);
                  }

                  private final Set<String> abandoned = ConcurrentHashMap.newKeySet();
                },
            "L16"),
        wrong(
            "a token restarts after reclaim",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  long firstToken(long now) {
                    // A deleted record leaves no trace, and the clock has not moved enough since.
                    return now * 1_000;
                  }
                },
            "L17"),
        wrong(
            "tokens count from one",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  long firstToken(long now) {
                    return 1;
                  }
                },
            "L18",
            "L17"),
        wrong(
            "a token is taken from the clock at every grant",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  long nextToken(Row old) {
                    return Math.max(old.token() + 1, now() * 1_000);
                  }
                },
            "L19"),
        wrong(
            "a release deletes the record",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  ReleaseAnswer decideRelease(Lease lease, Duration linger, long now) {
                    ReleaseAnswer answer = super.decideRelease(lease, linger, now);
                    if (answer == ReleaseAnswer.RELEASED && linger.isZero()) {
                      db.highestDeleted.accumulateAndGet(lease.token().value(), Math::max);
                      db.rows.remove(key(lease.name().value()));
                    }
                    return answer;
                  }
                },
            "L20",
            "L06",
            "L19",
            "L29",
            "L36",
            "L45",
            "L50",
            "L52",
            "L53",
            "L54",
            "L55",
            "L57",
            "L74"),
        wrong(
            "a record vanishes when its lease expires",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  <T> T atomically(Supplier<T> step) {
                    return super.atomically(
                        () -> {
                          long now = now();
                          db.rows.values().stream()
                              .filter(row -> !taken(row, now) && !row.released())
                              .forEach(this::vanish);
                          return step.get();
                        });
                  }

                  private void vanish(Row row) {
                    db.highestDeleted.accumulateAndGet(row.token(), Math::max);
                    db.rows.remove(key(row.name()));
                  }
                },
            "L20",
            "L05",
            "L29",
            "L36",
            "L45",
            "L50",
            "L53",
            "L57"));
  }

  static List<WrongStore> releasing() {
    return List.of(
        wrong(
            "a released name stays taken for a second",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRelease(Row row, Duration linger, long now) {
                    return linger.isZero()
                        ? row.released(now + 1_000)
                        : super.afterRelease(row, linger, now);
                  }
                },
            "L33",
            "L06",
            "L15",
            "L17",
            "L19",
            "L20",
            "L26",
            "L29",
            "L32",
            "L36",
            "L41",
            "L42",
            "L44",
            "L50",
            "L53",
            "L54",
            "L55",
            "L57",
            "L58",
            "L70",
            "L71",
            "L72",
            "L73",
            "L74",
            "L76",
            "L78",
            "L79",
            "L80"),
        wrong(
            "any token may release",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return live(row, now);
                  }
                },
            "L34",
            "L35",
            "L42",
            "L58"),
        wrong(
            "a late release is taken for a no-op",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  ReleaseAnswer refusedRelease(Optional<Row> row, Lease lease, long now) {
                    return ReleaseAnswer.ALREADY_ENDED;
                  }
                },
            "L34",
            "L35",
            "L41",
            "L42",
            "L58"),
        wrong(
            "a release looks at the token alone",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return row.token() == lease.token().value() && live(row, now);
                  }
                },
            "L35"),
        wrong(
            "a release looks at the attempt alone",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return sameAttempt(row, lease.attempt()) && live(row, now);
                  }
                },
            "L35"),
        wrong(
            "a release wants the owner's name as well",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return super.mayRelease(row, lease, now) && row.owner().equals(lease.owner());
                  }
                },
            "L35"),
        wrong(
            "a second release is taken for the first",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return isOf(row, lease) && (live(row, now) || !taken(row, now));
                  }
                },
            "L36",
            "L58"),
        wrong(
            "releasing an ended lease is taken for a loss",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  ReleaseAnswer refusedRelease(Optional<Row> row, Lease lease, long now) {
                    return row.isPresent() && !taken(row.get(), now)
                        ? ReleaseAnswer.LOST
                        : super.refusedRelease(row, lease, now);
                  }
                },
            "L36",
            "L58"),
        wrong(
            "releasing what nobody holds is taken for a loss",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  ReleaseAnswer refusedRelease(Optional<Row> row, Lease lease, long now) {
                    return row.isEmpty()
                        ? ReleaseAnswer.LOST
                        : super.refusedRelease(row, lease, now);
                  }
                },
            "L37"),
        wrong(
            "a linger counts from the release",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRelease(Row row, Duration linger, long now) {
                    return row.released(now + linger.toMillis());
                  }
                },
            "L38",
            "L40"),
        wrong(
            "a linger ends with the lease",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRelease(Row row, Duration linger, long now) {
                    Row released = super.afterRelease(row, linger, now);
                    return released.expiring(Math.min(row.expires(), released.expires()));
                  }
                },
            "L38"),
        wrong(
            "a name that has lingered is never free again",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isFreeFor(AcquireRequest request, Row row, long now) {
                    boolean lingered = row.released() && row.expires() > row.granted() + 40;
                    return super.isFreeFor(request, row, now) && !lingered;
                  }
                },
            "L39",
            "L74"),
        wrong(
            "a linger that is over dates the end back",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRelease(Row row, Duration linger, long now) {
                    return linger.isZero()
                        ? row.released(now)
                        : row.released(row.granted() + linger.toMillis());
                  }
                },
            "L40"),
        wrong(
            "a second release cuts a linger short",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return isOf(row, lease) && taken(row, now);
                  }
                },
            "L41"),
        wrong(
            "a release compares the expiry that was shown",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return super.mayRelease(row, lease, now)
                        && lease.expiresAt().toEpochMilli() == row.expires();
                  }
                },
            "L42",
            "L32",
            "L60",
            "L71"));
  }

  static List<WrongStore> abandoning() {
    return List.of(
        wrong(
            "abandoning does nothing",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayAbandon(Row row, String owner, String attempt, long now) {
                    return false;
                  }
                },
            "L43",
            "L06",
            "L16",
            "L20",
            "L26",
            "L53",
            "L77"),
        wrong(
            "abandoning lets the name linger",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public void abandon(LeaseName name, String owner, String attempt) {
                    Optional<Row> before = find(name.value()).filter(row -> live(row, now()));
                    super.abandon(name, owner, attempt);
                    before
                        .filter(row -> sameAttempt(row, attempt))
                        .ifPresent(row -> write(row.released(row.expires())));
                  }
                },
            "L43",
            "L06",
            "L16",
            "L20",
            "L26",
            "L53"),
        wrong(
            "abandoning frees another's lease of the same owner",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayAbandon(Row row, String owner, String attempt, long now) {
                    return row.owner().equals(owner) && live(row, now);
                  }
                },
            "L44",
            "L63"),
        wrong(
            "abandoning frees another's lease",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayAbandon(Row row, String owner, String attempt, long now) {
                    return live(row, now);
                  }
                },
            "L44",
            "L63"),
        wrong(
            "abandoning ends what has ended once more",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayAbandon(Row row, String owner, String attempt, long now) {
                    return sameAttempt(row, attempt);
                  }
                },
            "L45"));
  }

  static List<WrongStore> showing() {
    return List.of(
        wrong(
            "reading an unheld name is an exception",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public Optional<LeaseView> read(LeaseName name) {
                    if (db.reachable && find(name.value()).isEmpty()) {
                      throw new NoSuchElementException("no lease " + name);
                    }
                    return super.read(name);
                  }
                },
            "L46"),
        wrong(
            "a renewal leaves no date",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRenewal(Row row, Duration ttl, long now) {
                    return row.expiring(Math.max(row.expires(), now + ttl.toMillis()));
                  }
                },
            "L47"),
        wrong(
            "an expired lease can be read",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isRead(Row row, long now) {
                    return !row.released();
                  }
                },
            "L48",
            "L10",
            "L24",
            "L74"),
        wrong(
            "a name that lingers reads as held",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isRead(Row row, long now) {
                    return taken(row, now);
                  }
                },
            "L49"),
        wrong(
            "a listing hides what has expired",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isListed(Row row, String prefix, long now) {
                    return super.isListed(row, prefix, now) && (row.released() || taken(row, now));
                  }
                },
            "L50",
            "L20",
            "L36",
            "L45"),
        wrong(
            "a prefix is a pattern with wildcards",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isListed(Row row, String prefix, long now) {
                    return row.name()
                        .matches(
                            "(?s)"
                                + Pattern.quote(prefix)
                                    .replace("%", "\\E.*\\Q")
                                    .replace("_", "\\E.\\Q")
                                + ".*");
                  }
                },
            "L51"),
        wrong(
            "a prefix is compared without case",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isListed(Row row, String prefix, long now) {
                    return row.name().regionMatches(true, 0, prefix, 0, prefix.length());
                  }
                },
            "L51"),
        wrong(
            "the record after the last of a page is skipped",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  LeasePage list(String prefix, Page page, long now) {
                    LeasePage found = super.list(prefix, page, now);
                    return new LeasePage(found.leases(), found.next().map(db.rows::higherKey));
                  }
                },
            "L52"));
  }

  static List<WrongStore> reclaiming() {
    return List.of(
        wrong(
            "reclaiming does not say how many",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  public long reclaim(Duration endedFor) {
                    return Math.min(1, super.reclaim(endedFor));
                  }
                },
            "L53",
            "L55"),
        wrong(
            "reclaiming deletes what ended just now",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isReclaimed(Row row, Duration endedFor, long now) {
                    return !taken(row, now);
                  }
                },
            "L54"),
        wrong(
            "reclaiming deletes what lingers",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isReclaimed(Row row, Duration endedFor, long now) {
                    return super.isReclaimed(row, endedFor, now)
                        || (row.released() && endedFor.isZero());
                  }
                },
            "L54"),
        wrong(
            "reclaiming stops after one step",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  long mostReclaimed() {
                    return 100;
                  }
                },
            "L55",
            "L53"));
  }
}
