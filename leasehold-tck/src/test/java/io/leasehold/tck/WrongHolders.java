package io.leasehold.tck;

import static io.leasehold.tck.WrongStore.wrong;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import io.leasehold.tck.OpenDatabase.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Stores that are wrong about who may have, keep or give back a name. */
final class WrongHolders {

  private WrongHolders() {}

  static List<WrongStore> acquiring() {
    return List.of(
        wrong(
            "a grant lasts twice its TTL",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row granted(AcquireRequest request, long token, long now) {
                    Row row = super.granted(request, token, now);
                    return row.expiring(now + 2 * request.ttl().toMillis());
                  }
                },
            "L01",
            "L11",
            "L12",
            "L13",
            "L21",
            "L23",
            "L47",
            "L75"),
        wrong(
            "a live lease is taken over by another owner",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isFreeFor(AcquireRequest request, Row row, long now) {
                    return super.isFreeFor(request, row, now)
                        || !row.owner().equals(request.owner());
                  }
                },
            "L02",
            "L09",
            "L10",
            "L11",
            "L13",
            "L38",
            "L56",
            "L68",
            "L71",
            "L73",
            "L74",
            "L75"),
        wrong(
            "the holder re-acquires",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isGrantOf(AcquireRequest request, Row row, long now) {
                    return live(row, now) && row.owner().equals(request.owner());
                  }
                },
            "L03",
            "L63"),
        wrong(
            "the same attempt is granted twice",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isGrantOf(AcquireRequest request, Row row, long now) {
                    return false;
                  }

                  @Override
                  boolean isFreeFor(AcquireRequest request, Row row, long now) {
                    return super.isFreeFor(request, row, now) || super.isGrantOf(request, row, now);
                  }
                },
            "L04",
            "L56",
            "L69"),
        wrong(
            "the same attempt is refused while it holds",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isGrantOf(AcquireRequest request, Row row, long now) {
                    return false;
                  }
                },
            "L04",
            "L56",
            "L69"),
        wrong(
            "the same attempt sent again extends the lease",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  AcquireAnswer decideAcquire(AcquireRequest request, long now) {
                    find(request.name().value())
                        .filter(row -> isGrantOf(request, row, now))
                        .ifPresent(row -> write(afterRenewal(row, request.ttl(), now)));
                    return super.decideAcquire(request, now);
                  }
                },
            "L04"),
        wrong(
            "an attempt whose lease expired is granted again",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isFreeFor(AcquireRequest request, Row row, long now) {
                    return !taken(row, now)
                        && (!row.released() || !sameAttempt(row, request.attempt()));
                  }
                },
            "L05"),
        wrong(
            "an attempt whose lease was given back is granted again",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isFreeFor(AcquireRequest request, Row row, long now) {
                    return !taken(row, now)
                        && (row.released() || !sameAttempt(row, request.attempt()));
                  }
                },
            "L06"),
        wrong(
            "a release gives back every name of its owner",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  ReleaseAnswer decideRelease(Lease lease, Duration linger, long now) {
                    ReleaseAnswer answer = super.decideRelease(lease, linger, now);
                    db.rows.values().stream()
                        .filter(row -> row.owner().equals(lease.owner()) && live(row, now))
                        .forEach(row -> write(row.released(now)));
                    return answer;
                  }
                },
            "L07",
            "L35",
            "L37",
            "L50",
            "L54",
            "L57",
            "L58",
            "L60"),
        wrong(
            "an expired lease is kept for its owner",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isFreeFor(AcquireRequest request, Row row, long now) {
                    return super.isFreeFor(request, row, now)
                        && (row.released() || row.owner().equals(request.owner()));
                  }
                },
            "L08",
            "L09",
            "L10",
            "L13",
            "L14",
            "L24",
            "L25",
            "L34",
            "L56",
            "L68",
            "L74"),
        wrong(
            "a lease is granted anew 50 ms before it expires",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isFreeFor(AcquireRequest request, Row row, long now) {
                    return super.isFreeFor(request, row, now + 50);
                  }
                },
            "L09",
            "L10"),
        wrong(
            "a lease is refused for a millisecond after its expiry",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean isFreeFor(AcquireRequest request, Row row, long now) {
                    return super.isFreeFor(request, row, now - 1);
                  }
                },
            "L10",
            "L05",
            "L09",
            "L13",
            "L14",
            "L15",
            "L16",
            "L17",
            "L19",
            "L24",
            "L25",
            "L26",
            "L29",
            "L31",
            "L32",
            "L33",
            "L34",
            "L39",
            "L40",
            "L41",
            "L42",
            "L43",
            "L44",
            "L56",
            "L57",
            "L58",
            "L70",
            "L71",
            "L72",
            "L73",
            "L74",
            "L78",
            "L79",
            "L80"),
        wrong(
            "a lease is live at exactly its expiry",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean taken(Row row, long now) {
                    return row.expires() >= now;
                  }
                },
            "L10",
            "L05",
            "L09",
            "L13",
            "L14",
            "L15",
            "L16",
            "L17",
            "L19",
            "L24",
            "L25",
            "L26",
            "L29",
            "L31",
            "L32",
            "L33",
            "L34",
            "L36",
            "L39",
            "L40",
            "L41",
            "L42",
            "L43",
            "L44",
            "L48",
            "L56",
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
            "a refusal gives the whole TTL as what remains",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  AcquireAnswer decideAcquire(AcquireRequest request, long now) {
                    AcquireAnswer answer = super.decideAcquire(request, now);
                    return answer instanceof AcquireAnswer.Held held && held.view().isLive()
                        ? new AcquireAnswer.Held(wholeTtl(held.view()))
                        : answer;
                  }

                  private LeaseView wholeTtl(LeaseView view) {
                    return new LeaseView(
                        view.name(),
                        view.owner(),
                        view.attempt(),
                        view.token(),
                        view.grantedAt(),
                        view.renewedAt(),
                        view.expiresAt(),
                        Duration.between(view.grantedAt(), view.expiresAt()),
                        view.state());
                  }
                },
            "L11",
            "L10"),
        wrong(
            "a TTL is rounded up to whole milliseconds",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  AcquireRequest checked(
                      LeaseName name, String owner, String attempt, Duration ttl) {
                    boolean uneven = ttl.toNanosPart() % 1_000_000 != 0 && ttl.equals(ttl.abs());
                    return super.checked(name, owner, attempt, uneven ? ttl.plusMillis(1) : ttl);
                  }
                },
            "L12",
            "L65"),
        wrong(
            "a TTL is kept in 32 bits",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  @SuppressWarnings("NarrowCalculation") // The fault.
                  long ttlMillis(Duration ttl) {
                    return (int) ttl.toMillis();
                  }
                },
            "L13"));
  }

  static List<WrongStore> renewing() {
    return List.of(
        wrong(
            "a renewal issues a new token",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRenewal(Row row, Duration ttl, long now) {
                    return super.afterRenewal(row, ttl, now).withToken(row.token() + 1);
                  }
                },
            "L21",
            "L31",
            "L32",
            "L42",
            "L57",
            "L60",
            "L70",
            "L71",
            "L82"),
        wrong(
            "a renewal is answered but not kept",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  RenewAnswer decideRenew(Lease lease, Duration ttl, long now) {
                    Optional<Row> before = find(lease.name().value());
                    RenewAnswer answer = super.decideRenew(lease, ttl, now);
                    before.ifPresent(this::write);
                    return answer;
                  }
                },
            "L21",
            "L47",
            "L57",
            "L71"),
        wrong(
            "a renewal shortens",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRenewal(Row row, Duration ttl, long now) {
                    return row.renewed(now, now + ttl.toMillis());
                  }
                },
            "L22"),
        wrong(
            "a renewal adds its TTL to the old expiry",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Row afterRenewal(Row row, Duration ttl, long now) {
                    return row.renewed(now, row.expires() + ttl.toMillis());
                  }
                },
            "L23",
            "L22"),
        wrong(
            "an expired lease is renewed while nobody has taken it",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return isOf(row, lease) && !row.released();
                  }
                },
            "L24",
            "L29",
            "L57"),
        wrong(
            "any token may renew",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return live(row, now);
                  }
                },
            "L25",
            "L29",
            "L30",
            "L31",
            "L32",
            "L57",
            "L63"),
        wrong(
            "a renewal trusts the expiry that its holder sends",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return lease.expiresAt().isAfter(Instant.ofEpochMilli(now)) && live(row, now);
                  }
                },
            "L25",
            "L29",
            "L30",
            "L32",
            "L57",
            "L63"),
        wrong(
            "a released lease is renewed back",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return isOf(row, lease)
                        && (live(row, now) || (row.released() && !taken(row, now)));
                  }
                },
            "L26",
            "L29",
            "L57",
            "L71"),
        wrong(
            "a lease that lingers is renewed",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return isOf(row, lease) && taken(row, now);
                  }
                },
            "L27"),
        wrong(
            "a renewal creates the record that it does not find",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  RenewAnswer decideRenew(Lease lease, Duration ttl, long now) {
                    if (find(lease.name().value()).isEmpty()) {
                      write(
                          granted(
                              checked(lease.name(), lease.owner(), lease.attempt(), ttl),
                              lease.token().value(),
                              now));
                    }
                    return super.decideRenew(lease, ttl, now);
                  }
                },
            "L28"),
        wrong(
            "a lost renewal shows nothing",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Optional<LeaseView> currentForLost(Optional<Row> row, long now) {
                    return Optional.empty();
                  }
                },
            "L29",
            "L57"),
        wrong(
            "a lost renewal shows live leases only",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  Optional<LeaseView> currentForLost(Optional<Row> row, long now) {
                    return super.currentForLost(row.filter(each -> live(each, now)), now);
                  }
                },
            "L29",
            "L57"),
        wrong(
            "a renewal looks at the token alone",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return row.token() == lease.token().value() && live(row, now);
                  }
                },
            "L30",
            "L63"),
        wrong(
            "a renewal looks at the attempt alone",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return sameAttempt(row, lease.attempt()) && live(row, now);
                  }
                },
            "L30"),
        wrong(
            "a renewal accepts a token above the record's",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return row.token() <= lease.token().value()
                        && sameAttempt(row, lease.attempt())
                        && live(row, now);
                  }
                },
            "L30"),
        wrong(
            "a renewal looks at the owner's name alone",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return row.owner().equals(lease.owner()) && live(row, now);
                  }
                },
            "L31",
            "L30",
            "L32",
            "L63"),
        wrong(
            "a renewal wants the owner's name as well",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  boolean mayRenew(Row row, Lease lease, long now) {
                    return super.mayRenew(row, lease, now) && row.owner().equals(lease.owner());
                  }
                },
            "L31"),
        wrong(
            "a renewal reads, then writes back what it has read",
            (db, clock) ->
                new OpenStore(db, clock) {
                  @Override
                  RenewAnswer decideRenew(Lease lease, Duration ttl, long now) {
                    Optional<Row> row = find(lease.name().value());
                    if (row.isEmpty() || !mayRenew(row.get(), lease, now)) {
                      return super.decideRenew(lease, ttl, now);
                    }
                    Races.window();
                    Row renewed = afterRenewal(row.get(), ttl, now);
                    write(renewed);
                    return new RenewAnswer.Renewed(view(renewed, now).asLease());
                  }

                  @Override
                  public RenewAnswer renew(Lease lease, Duration ttl) {
                    Duration checked = checkedTtl(ttl);
                    reach();
                    return decideRenew(lease, checked, now());
                  }
                },
            "L32"));
  }
}
