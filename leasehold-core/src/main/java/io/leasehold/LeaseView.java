package io.leasehold;

import java.time.Duration;
import java.time.Instant;

/**
 * A lease record as anybody may see it: who holds or held a name, by which token, until when.
 *
 * <p>Immutable and thread-safe.
 *
 * @param name what is leased
 * @param owner who holds it, or held it last
 * @param attempt the attempt that took the grant
 * @param token the token of the grant
 * @param grantedAt when the grant was made, by the store's clock
 * @param renewedAt when it was last renewed, or granted, by the store's clock
 * @param expiresAt when the name is free again, or became free, by the store's clock
 * @param remaining how long the name stays taken, counted by the store's clock when it answered;
 *     zero once the record has ended
 * @param state what the record says of the name now
 */
public record LeaseView(
    LeaseName name,
    String owner,
    String attempt,
    FencingToken token,
    Instant grantedAt,
    Instant renewedAt,
    Instant expiresAt,
    Duration remaining,
    State state) {

  /** What a record says of its name. */
  public enum State {
    /** The owner holds the name. */
    LIVE,
    /** The owner gave the lease back, but the name stays taken for {@code remaining}. */
    LINGERING,
    /** The lease was given back; the name is free. */
    RELEASED,
    /** The lease ran out; the name is free. */
    EXPIRED
  }

  /**
   * Checks that the remaining time fits the state.
   *
   * @throws IllegalArgumentException if the remaining time is negative, or zero while the name is
   *     taken, or not zero when it is free
   */
  public LeaseView {
    boolean taken = state == State.LIVE || state == State.LINGERING;
    if (remaining.isNegative() || remaining.isZero() == taken) {
      throw new IllegalArgumentException("remaining " + remaining + " does not fit " + state);
    }
  }

  /**
   * The view of a record with these fields, at an instant of the store's clock. This is the one
   * place where a record's state is decided, for every store.
   *
   * @param name what is leased
   * @param owner who took the grant
   * @param attempt the attempt that took it
   * @param token its token
   * @param grantedAt when it was granted
   * @param renewedAt when it was last renewed
   * @param expiresAt when the name is free
   * @param released whether the lease was given back
   * @param now the store's clock
   * @return the view
   */
  public static LeaseView of(
      LeaseName name,
      String owner,
      String attempt,
      FencingToken token,
      Instant grantedAt,
      Instant renewedAt,
      Instant expiresAt,
      boolean released,
      Instant now) {
    boolean taken = expiresAt.isAfter(now);
    State state;
    if (taken) {
      state = released ? State.LINGERING : State.LIVE;
    } else {
      state = released ? State.RELEASED : State.EXPIRED;
    }
    Duration remaining = taken ? Duration.between(now, expiresAt) : Duration.ZERO;
    return new LeaseView(
        name, owner, attempt, token, grantedAt, renewedAt, expiresAt, remaining, state);
  }

  /**
   * Whether somebody holds the name.
   *
   * @return whether the state is {@link State#LIVE}
   */
  public boolean isLive() {
    return state == State.LIVE;
  }

  /**
   * Whether this record is of the very grant that a holder has.
   *
   * @param lease the holder's lease
   * @return whether name, token and attempt are the same
   */
  public boolean isOf(Lease lease) {
    return name.equals(lease.name())
        && token.equals(lease.token())
        && attempt.equals(lease.attempt());
  }

  /**
   * The grant this record shows, as a store takes it in {@link LeaseStore#release}. An operator's
   * forced release uses it.
   *
   * @return the lease
   */
  public Lease asLease() {
    return new Lease(name, owner, attempt, token, grantedAt, expiresAt, remaining);
  }
}
