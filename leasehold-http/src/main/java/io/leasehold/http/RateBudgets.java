package io.leasehold.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * The last word of each host on each credential's limits. Answers overtake one another, so a later
 * reading is not always a newer one: within a window the smaller remainder is, since a budget only
 * shrinks there.
 */
final class RateBudgets {

  /** Two servers of one host may state one window's end a second or two apart. */
  private static final Duration SAME_WINDOW = Duration.ofSeconds(2);

  /** A budget whose window ended longer ago than this tells nothing any more. */
  private static final Duration KEPT_AFTER_RESET = Duration.ofHours(1);

  private static final int MAX_BUDGETS = 1_024;

  /** Below this a reset is a number of seconds from now, above it an instant. */
  private static final long FIRST_EPOCH_SECOND = 1_000_000_000L;

  private final ConcurrentMap<Key, RateBudget> budgets = new ConcurrentHashMap<>();

  private record Key(String host, String credential, String resource) {}

  void answered(
      String host,
      Optional<String> authorization,
      Function<String, Optional<String>> headers,
      Instant now) {
    // Most hosts send neither; the fingerprint is computed only for those that do.
    if (!read(host, authorization, headers, "x-ratelimit-", now)) {
      read(host, authorization, headers, "ratelimit-", now);
    }
  }

  List<RateBudget> all() {
    return budgets.values().stream()
        .sorted(
            Comparator.comparing(RateBudget::host)
                .thenComparing(RateBudget::credential)
                .thenComparing(RateBudget::resource))
        .toList();
  }

  Optional<RateBudget> of(String host, String credential, String resource) {
    return Optional.ofNullable(budgets.get(new Key(host, credential, resource)));
  }

  private boolean read(
      String host,
      Optional<String> authorization,
      Function<String, Optional<String>> headers,
      String prefix,
      Instant now) {
    OptionalLong remaining = number(headers.apply(prefix + "remaining"));
    if (remaining.isEmpty()) {
      return false;
    }
    OptionalLong limit = number(headers.apply(prefix + "limit"));
    Optional<Instant> reset = instant(number(headers.apply(prefix + "reset")), now);
    if (limit.isEmpty() || reset.isEmpty()) {
      return false;
    }
    String resource = headers.apply(prefix + "resource").orElse("default");
    String credential = fingerprint(authorization);
    keep(
        new RateBudget(
            host,
            credential,
            resource,
            limit.getAsLong(),
            remaining.getAsLong(),
            reset.get(),
            now));
    return true;
  }

  private void keep(RateBudget seen) {
    Key key = new Key(seen.host(), seen.credential(), seen.resource());
    if (!budgets.containsKey(key)) {
      makeRoom(seen.seen());
    }
    budgets.merge(key, seen, RateBudgets::newer);
  }

  /** Credentials are replaced every hour or so; those out of use must not pile up. */
  private void makeRoom(Instant now) {
    budgets.values().removeIf(b -> b.reset().plus(KEPT_AFTER_RESET).isBefore(now));
    while (budgets.size() >= MAX_BUDGETS) {
      budgets.values().stream()
          .min(Comparator.comparing(RateBudget::seen))
          .ifPresent(
              oldest ->
                  budgets.remove(
                      new Key(oldest.host(), oldest.credential(), oldest.resource()), oldest));
    }
  }

  private static RateBudget newer(RateBudget known, RateBudget seen) {
    if (seen.reset().isAfter(known.reset().plus(SAME_WINDOW))) {
      return seen;
    }
    if (seen.reset().isBefore(known.reset().minus(SAME_WINDOW))) {
      return known;
    }
    return seen.remaining() <= known.remaining() ? seen : known;
  }

  static String fingerprint(Optional<String> authorization) {
    if (authorization.isEmpty()) {
      return "anonymous";
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(authorization.get().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static OptionalLong number(Optional<String> text) {
    if (text.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(text.get().trim()));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private static Optional<Instant> instant(OptionalLong seconds, Instant now) {
    if (seconds.isEmpty() || seconds.getAsLong() < 0) {
      return Optional.empty();
    }
    long value = seconds.getAsLong();
    try {
      return Optional.of(
          value < FIRST_EPOCH_SECOND ? now.plusSeconds(value) : Instant.ofEpochSecond(value));
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }
}
