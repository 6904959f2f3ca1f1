package io.leasehold.tck;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import io.leasehold.RenewAnswer;
import io.leasehold.tck.PlainDatabase.Row;
import java.text.Normalizer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Stores that are wrong about who gets a name, about tokens, expiry and names. */
final class WrongGrants {

  private WrongGrants() {}

  static List<WrongStore> all() {
    return List.of(
        new WrongStore(
            "the lease lasts a second longer than its TTL",
            "L01",
            "L02 L46 L55 L62",
            db ->
                new PlainStore(db) {
                  @Override
                  long expiryOfGrant(long now, Duration ttl) {
                    return super.expiryOfGrant(now, ttl) + 1000;
                  }
                }),
        new WrongStore(
            "a live lease is given to whoever asks",
            "L02",
            "L03 L17 L20 L33 L36 L45 L55 L57 L59 ?L60 L61 L62 L68",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean taken(Row row, long now) {
                    return super.taken(row, now) && row.released();
                  }

                  @Override
                  boolean live(Row row, long now) {
                    return super.taken(row, now) && !row.released();
                  }
                }),
        new WrongStore(
            "the holder's owner re-acquires",
            "L03",
            "L55",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean same(Row row, AcquireRequest request) {
                    return row.owner().equals(request.owner());
                  }
                }),
        new WrongStore(
            "the same attempt is refused by its own grant",
            "L04",
            "L55",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean same(Row row, AcquireRequest request) {
                    return false;
                  }
                }),
        new WrongStore(
            "the same attempt takes a second grant",
            "L04",
            "L55",
            db ->
                new PlainStore(db) {
                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    synchronized (db) {
                      db.rows.computeIfPresent(
                          key(name),
                          (key, row) ->
                              row.attempt().equals(attempt) && live(row, now())
                                  ? new Row(
                                      name,
                                      owner,
                                      "ended",
                                      row.token(),
                                      row.granted(),
                                      row.renewed(),
                                      now(),
                                      true)
                                  : row);
                      return super.acquire(name, owner, attempt, ttl);
                    }
                  }
                }),
        new WrongStore(
            "asking again with the same attempt extends the lease",
            "L04",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public AcquireAnswer acquire(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    AcquireAnswer answer = super.acquire(name, owner, attempt, ttl);
                    return answer instanceof AcquireAnswer.Granted granted
                            && super.renew(granted.lease(), ttl)
                                instanceof RenewAnswer.Renewed renewed
                        ? new AcquireAnswer.Granted(renewed.lease())
                        : answer;
                  }
                }),
        new WrongStore(
            "an attempt that is spent takes a second grant",
            "L05",
            "L06",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean spent(Row row, AcquireRequest request) {
                    return false;
                  }
                }),
        new WrongStore(
            "an attempt that has expired takes a second grant",
            "L06",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean spent(Row row, AcquireRequest request) {
                    return row.released() && super.spent(row, request);
                  }
                }),
        new WrongStore(
            "one lease for all names",
            "L07",
            "L01 L02 L03 L04 L05 L06 L08 L09 L11 L12 L13 L14 L15 L16 L17 L18 L19 L20 L21 L22 L23 L24 L25 L26 L27 L28 L29 L30 L34 L38 L39 L40 L42 L43 L44 L46 L50 L51 L52 L53 L55 L56 L57 L58 L59 L62",
            db ->
                new PlainStore(db) {
                  @Override
                  String key(LeaseName name) {
                    return "the lease";
                  }
                }),
        new WrongStore(
            "an attempt is abandoned under every name",
            "L08",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public void abandon(LeaseName name, String owner, String attempt) {
                    super.abandon(name, owner, attempt);
                    synchronized (db) {
                      db.rows.replaceAll(
                          (key, row) ->
                              mayAbandon(row, owner, attempt, now()) ? row.released(now()) : row);
                    }
                  }
                }),
        new WrongStore(
            "a read does not say who holds",
            "L09",
            "L44",
            db ->
                new PlainStore(db) {
                  @Override
                  public Optional<LeaseView> read(LeaseName name) {
                    return super.read(name)
                        .map(
                            v ->
                                new LeaseView(
                                    v.name(),
                                    "unknown",
                                    v.attempt(),
                                    v.token(),
                                    v.grantedAt(),
                                    v.renewedAt(),
                                    v.expiresAt(),
                                    v.remaining(),
                                    v.state()));
                  }
                }),
        new WrongStore(
            "a read creates the record",
            "L10",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public Optional<LeaseView> read(LeaseName name) {
                    synchronized (db) {
                      db.rows.computeIfAbsent(
                          key(name), key -> new Row(name, "nobody", "none", 1, 0, 0, 0, false));
                      return super.read(name);
                    }
                  }
                }),
        new WrongStore(
            "a read is cached",
            "L11",
            "",
            db ->
                new PlainStore(db) {
                  private final Map<LeaseName, Optional<LeaseView>> cache =
                      new ConcurrentHashMap<>();

                  @Override
                  public Optional<LeaseView> read(LeaseName name) {
                    return cache.computeIfAbsent(name, super::read);
                  }
                }),
        new WrongStore(
            "tokens restart after a release",
            "L12",
            "L14 L15 L38 L55 L60 L61",
            db ->
                new PlainStore(db) {
                  @Override
                  long nextToken(Row ended) {
                    return ended.released() ? 1 : super.nextToken(ended);
                  }
                }),
        new WrongStore(
            "the token is the time of the grant",
            "L12",
            "L14 L15 L55 L60 L61",
            db ->
                new PlainStore(db) {
                  @Override
                  long nextToken(Row ended) {
                    return now() * 1000;
                  }
                }),
        new WrongStore(
            "tokens restart after expiry",
            "L13",
            "L59",
            db ->
                new PlainStore(db) {
                  @Override
                  long nextToken(Row ended) {
                    return ended.released() ? super.nextToken(ended) : 1;
                  }
                }),
        new WrongStore(
            "an expired lease comes back with its old token",
            "L13",
            "L59",
            db ->
                new PlainStore(db) {
                  @Override
                  long nextToken(Row ended) {
                    return ended.released() ? super.nextToken(ended) : ended.token();
                  }
                }),
        new WrongStore(
            "tokens restart after a reclaim",
            "L15",
            "L16",
            db ->
                new PlainStore(db) {
                  @Override
                  long firstToken(LeaseName name, long now) {
                    return 1;
                  }
                }),
        new WrongStore(
            "a deleted token is granted again by a clock that stands still",
            "L15",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  void reclaimed(Row row) {}
                }),
        new WrongStore(
            "first tokens are counted from one",
            "L16",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  long firstToken(LeaseName name, long now) {
                    return Math.max(1, db.highestDeleted + 1);
                  }
                }),
        new WrongStore(
            "a lease is over one tick after its expiry",
            "L17",
            "L05 L06 L12 L13 L14 L15 L18 L25 L26 L31 L33 L34 L35 L38 L39 L40 L41 L42 L55 L57 L59 L61 L62 L63 L64 L65 L66",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean taken(Row row, long now) {
                    return row.expires() >= now;
                  }
                }),
        new WrongStore(
            "a lease is given away just before its expiry",
            "L17",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean taken(Row row, long now) {
                    return row.expires() > now + 1;
                  }
                }),
        new WrongStore(
            "an expired lease reads as held",
            "L18",
            "L25 L62",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean readable(Row row, long now) {
                    return !row.released();
                  }
                }),
        new WrongStore(
            "expired records vanish",
            "L19",
            "L05 L06 L12 L14 L15 L25 L27 L32 L34 L35 L38 L41 L50 L53 L55 L56 L60 L61",
            db ->
                new PlainStore(db) {
                  @Override
                  void reach() {
                    super.reach();
                    synchronized (db) {
                      db.rows.values().removeIf(row -> !taken(row, now()));
                    }
                  }
                }),
        new WrongStore(
            "names are folded to one case",
            "L43",
            "L51",
            db ->
                new PlainStore(db) {
                  @Override
                  String key(LeaseName name) {
                    return name.value().toLowerCase(Locale.ROOT);
                  }
                }),
        new WrongStore(
            "spaces are folded",
            "L43",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  String key(LeaseName name) {
                    return name.value().replace(" ", "");
                  }
                }),
        new WrongStore(
            "accents are folded",
            "L43",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  String key(LeaseName name) {
                    return Normalizer.normalize(name.value(), Normalizer.Form.NFKC);
                  }
                }),
        new WrongStore(
            "names are cut at 64 characters",
            "L44",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  String key(LeaseName name) {
                    return name.value().substring(0, Math.min(64, name.value().length()));
                  }
                }),
        new WrongStore(
            "attempts are compared without case",
            "L45",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  boolean isOf(Row row, Lease lease) {
                    return row.token() == lease.token().value()
                        && row.attempt().equalsIgnoreCase(lease.attempt());
                  }

                  @Override
                  boolean same(Row row, AcquireRequest request) {
                    return row.attempt().equalsIgnoreCase(request.attempt());
                  }

                  @Override
                  boolean mayAbandon(Row row, String owner, String attempt, long now) {
                    return row.attempt().equalsIgnoreCase(attempt) && live(row, now);
                  }
                }),
        new WrongStore(
            "expiry is kept in whole seconds",
            "L46",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  long expiryOfGrant(long now, Duration ttl) {
                    return (now + ttl.toMillis() + 999) / 1000 * 1000;
                  }
                }),
        new WrongStore(
            "a blank owner is accepted",
            "L47",
            "L48",
            db ->
                new PlainStore(db) {
                  @Override
                  void check(String owner, String attempt, Duration ttl, LeaseName name) {
                    super.check(owner.isBlank() ? "blank" : owner, attempt, ttl, name);
                  }
                }),
        new WrongStore(
            "a TTL of nothing is accepted",
            "L47",
            "L48",
            db ->
                new PlainStore(db) {
                  @Override
                  void checkTtl(Duration ttl) {}
                }),
        new WrongStore(
            "arguments are checked after the call was sent",
            "L48",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  void check(String owner, String attempt, Duration ttl, LeaseName name) {
                    reach();
                    super.check(owner, attempt, ttl, name);
                  }
                }),
        new WrongStore(
            "a database that is away reads as an unheld name",
            "L49",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  public Optional<LeaseView> read(LeaseName name) {
                    return db.away ? Optional.empty() : super.read(name);
                  }
                }),
        new WrongStore(
            "a refused connection is reported as an unknown outcome",
            "L49",
            "",
            db ->
                new PlainStore(db) {
                  @Override
                  void reach() {
                    if (db.away) {
                      throw new LeaseStoreException(LeaseStoreException.Outcome.UNKNOWN, "away");
                    }
                  }
                }));
  }
}
