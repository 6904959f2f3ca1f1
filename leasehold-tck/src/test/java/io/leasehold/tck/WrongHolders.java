package io.leasehold.tck;

import io.leasehold.Lease;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.tck.PlainDatabase.Row;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores that are wrong about renewing, releasing, lingering and abandoning. */
final class WrongHolders {

  private static final long YEAR = 365L * 86_400_000;

  private WrongHolders() {}

  static List<WrongStore> all() {
    return List.of(
        new WrongStore(
            "a renewal changes nothing in the database",
            "L21",
            "L20 L56",
            db ->
                new PlainStore(db) {
                  @Override
                  Row renewed(Row row, long now, Duration ttl) {
                    return row;
                  }
                }),
        new WrongStore(
            "a renewal counts from the old expiry",
            "L21",
            "L23",
            db ->
                new PlainStore(db) {
                  @Override
                  Row renewed(Row row, long now, Duration ttl) {
                    return row.renewed(now, row.expires() + ttl.toMillis());
                  }
                }),
        new WrongStore(
            "a renewal is answered and not written",
            "L20",
            "L21 L56",
            db ->
                new PlainStore(db) {
                  @Override
                  public RenewAnswer renew(Lease lease, Duration ttl) {
                    checkTtl(ttl);
                    Optional<LeaseView> before = read(lease.name());
                    RenewAnswer answer = super.renew(lease, ttl);
                    before.ifPresent(
                        view ->
                            db.rows.computeIfPresent(
                                key(lease.name()),
                                (key, row) ->
                                    row.renewed(
                                        view.renewedAt().toEpochMilli(),
                                        view.expiresAt().toEpochMilli())));
                    return answer;
                  }
                }),
        new WrongStore(
            "a renewal issues a new token",
            "L22",
            "L56 L58 L61 L62 ?L69 L71 L73",
            db ->
                new PlainStore(db) {
                  @Override
                  Row renewed(Row row, long now, Duration ttl) {
                    return super.renewed(row, now, ttl).withToken(row.token() + 1);
                  }
                }),
        new WrongStore(
            "a renewal shortens",
            "L23",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  Row renewed(Row row, long now, Duration ttl) {
                    return row.renewed(now, now + ttl.toMillis());
                  }
                }),
        new WrongStore(
            "a renewal creates the lease",
            "L24",
            "L54 L56",
            db ->
                new PlainStore(db) {
                  @Override
                  public RenewAnswer renew(Lease lease, Duration ttl) {
                    synchronized (db) {
                      checkTtl(ttl);
                      reach();
                      db.rows.computeIfAbsent(
                          key(lease.name()),
                          key ->
                              new Row(
                                  lease.name(),
                                  lease.owner(),
                                  lease.attempt(),
                                  lease.token().value(),
                                  now(),
                                  now(),
                                  now() + 1,
                                  false));
                      return super.renew(lease, ttl);
                    }
                  }
                }),
        new WrongStore(
            "an expired lease is renewed",
            "L25",
            "L56",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return isOf(row, lease) && !row.released();
                  }
                }),
        new WrongStore(
            "a lost renewal does not say to whom",
            "L26",
            "L25 L27 L37 L56",
            db ->
                new PlainStore(db) {
                  @Override
                  Optional<LeaseView> lostTo(@Nullable Row row, long now) {
                    return Optional.empty();
                  }
                }),
        new WrongStore(
            "any token renews",
            "L26",
            "L28 L29 L45 L56 ?L69",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return live(row, now);
                  }
                }),
        new WrongStore(
            "a superseded holder is believed about its expiry",
            "L26",
            "L29 L56 ?L69",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return super.mayRenew(row, lease, now)
                        || (live(row, now)
                            && row.token() > lease.token().value()
                            && lease.expiresAt().toEpochMilli() > now);
                  }
                }),
        new WrongStore(
            "a released lease is renewed back",
            "L27",
            "L37 L41 L56 ?L69",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return isOf(row, lease) && (row.released() || live(row, now));
                  }
                }),
        new WrongStore(
            "the token alone renews",
            "L28",
            "L45 L56",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return row.token() == lease.token().value() && live(row, now);
                  }
                }),
        new WrongStore(
            "the attempt alone renews",
            "L29",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return row.attempt().equals(lease.attempt()) && live(row, now);
                  }
                }),
        new WrongStore(
            "a token that is not lower renews",
            "L29",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return row.attempt().equals(lease.attempt())
                        && lease.token().value() >= row.token()
                        && live(row, now);
                  }
                }),
        new WrongStore(
            "the owner's name renews",
            "L30",
            "L28 L29 L45 L56 ?L69",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return row.owner().equals(lease.owner()) && live(row, now);
                  }
                }),
        new WrongStore(
            "the owner's name must fit too",
            "L30",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return super.mayRenew(row, lease, now) && row.owner().equals(lease.owner());
                  }
                }),
        new WrongStore(
            "a release leaves the expiry where it was",
            "L31",
            "L05 L12 L14 L15 L27 L32 L34 L37 L38 L39 L40 L41 L42 L50 L53 L55 L57 L61 L62 L63 L64 L65 L66 L69 L71 L73 L74 L75 L76 L77 L78 L79",
            db ->
                new PlainStore(db) {
                  @Override
                  Optional<Row> released(Row row, long now, Duration linger) {
                    return Optional.of(row.released(row.expires()));
                  }
                }),
        new WrongStore(
            "a release deletes",
            "L32",
            "L05 L12 L14 L15 L27 L34 L41 L50 L53 L55 L56 L60 L61 L74 L75 L76",
            db ->
                new PlainStore(db) {
                  @Override
                  Optional<Row> released(Row row, long now, Duration linger) {
                    Row kept = super.released(row, now, linger).orElseThrow();
                    return taken(kept, now) ? Optional.of(kept) : Optional.empty();
                  }
                }),
        new WrongStore(
            "any token releases",
            "L33",
            "L36 L57 L73",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return live(row, now);
                  }
                }),
        new WrongStore(
            "the owner's name releases",
            "L36",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return row.owner().equals(lease.owner()) && live(row, now);
                  }
                }),
        new WrongStore(
            "the token alone releases",
            "L36",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return row.token() == lease.token().value() && live(row, now);
                  }
                }),
        new WrongStore(
            "releasing what has ended is reported as lost",
            "L34",
            "L35 L40 L57",
            db ->
                new PlainStore(db) {
                  @Override
                  ReleaseAnswer notReleased(Row row, Lease lease, long now) {
                    return ReleaseAnswer.LOST;
                  }
                }),
        new WrongStore(
            "a lost release is reported as ended",
            "L33",
            "L36 L40 L57 L73",
            db ->
                new PlainStore(db) {
                  @Override
                  ReleaseAnswer notReleased(Row row, Lease lease, long now) {
                    return ReleaseAnswer.ALREADY_ENDED;
                  }
                }),
        new WrongStore(
            "releasing an expired lease lingers",
            "L35",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return isOf(row, lease) && !row.released();
                  }
                }),
        new WrongStore(
            "linger is ignored",
            "L37",
            "L40 L50 L53 L77",
            db ->
                new PlainStore(db) {
                  @Override
                  Optional<Row> released(Row row, long now, Duration linger) {
                    return Optional.of(row.released(now));
                  }
                }),
        new WrongStore(
            "a name that lingers reads as held",
            "L37",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean readable(Row row, long now) {
                    return taken(row, now);
                  }
                }),
        new WrongStore(
            "linger is kept in whole years",
            "L38",
            "L37 L39 L74",
            db ->
                new PlainStore(db) {
                  @Override
                  Optional<Row> released(Row row, long now, Duration linger) {
                    return Optional.of(
                        row.released(
                            Math.max(
                                now,
                                row.granted() + (linger.toMillis() + YEAR - 1) / YEAR * YEAR)));
                  }
                }),
        new WrongStore(
            "linger counts from the release",
            "L39",
            "L74",
            db ->
                new PlainStore(db) {
                  @Override
                  Optional<Row> released(Row row, long now, Duration linger) {
                    return Optional.of(row.released(now + linger.toMillis()));
                  }
                }),
        new WrongStore(
            "a second release ends the linger",
            "L40",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayRelease(Row row, Lease lease, long now) {
                    return isOf(row, lease) && taken(row, now);
                  }
                }),
        new WrongStore(
            "abandon does nothing",
            "L41",
            "L05 L14 L62 L64 L66",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayAbandon(Row row, String owner, String attempt, long now) {
                    return false;
                  }
                }),
        new WrongStore(
            "abandon frees another's lease",
            "L42",
            "L45",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayAbandon(Row row, String owner, String attempt, long now) {
                    return live(row, now);
                  }
                }),
        new WrongStore(
            "abandon frees whatever its owner has",
            "L42",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean mayAbandon(Row row, String owner, String attempt, long now) {
                    return row.owner().equals(owner) && live(row, now);
                  }
                }));
  }
}
