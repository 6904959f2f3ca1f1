package io.leasehold.mongodb;

import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import java.time.Instant;
import java.util.Date;
import org.bson.Document;

/**
 * A record as its document says it. Instants are BSON dates: milliseconds since the epoch, UTC.
 *
 * @param now the store's clock when the document was read, or the stamp it was written with
 */
record LeaseDocument(
    String name,
    String owner,
    String attempt,
    long token,
    long granted,
    long renewed,
    long expires,
    boolean released,
    long now) {

  static final String ID = "_id";
  static final String OWNER = "owner";
  static final String ATTEMPT = "attempt";
  static final String TOKEN = "token";
  static final String GRANTED = "granted";
  static final String RENEWED = "renewed";
  static final String EXPIRES = "expires";
  static final String RELEASED = "released";

  static LeaseDocument of(Document document, long now) {
    Object name = document.get(ID);
    if (name instanceof String text
        && document.get(OWNER) instanceof String owner
        && document.get(ATTEMPT) instanceof String attempt
        && document.get(TOKEN) instanceof Number token
        && document.get(GRANTED) instanceof Date granted
        && document.get(RENEWED) instanceof Date renewed
        && document.get(EXPIRES) instanceof Date expires
        && document.get(RELEASED) instanceof Boolean released) {
      return new LeaseDocument(
          text,
          owner,
          attempt,
          token.longValue(),
          granted.toInstant().toEpochMilli(),
          renewed.toInstant().toEpochMilli(),
          expires.toInstant().toEpochMilli(),
          released,
          now);
    }
    throw new IllegalStateException(
        "the document with _id '"
            + name
            + "' is no lease record; give the leases a collection of their own");
  }

  boolean taken() {
    return expires > now;
  }

  boolean live() {
    return taken() && !released;
  }

  boolean isOf(Lease lease) {
    return token == lease.token().value() && attempt.equals(lease.attempt());
  }

  LeaseView view() {
    return LeaseView.of(
        LeaseName.of(name),
        owner,
        attempt,
        new FencingToken(token),
        Instant.ofEpochMilli(granted),
        Instant.ofEpochMilli(renewed),
        Instant.ofEpochMilli(expires),
        released,
        Instant.ofEpochMilli(now));
  }
}
