package io.leasehold.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a holder's times. */
final class LeaseTimes {

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      defaultValue = "30s",
      converter = TimeSpan.class,
      description = {
        "How long the lease outlives a holder that crashed: 500ms, 30s, 5m. It is renewed every"
            + " third. Default: ${DEFAULT-VALUE}."
      })
  Duration ttl = Duration.ofSeconds(30);

  @Option(
      names = "--retry",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = "How often to try for a name that is taken. Default: a third of the TTL.")
  @Nullable Duration retry;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      converter = TimeSpan.class,
      description = {
        "How long the command has from TERM to KILL when its lease is lost; up to a third of the"
            + " TTL. Default: an eighth, which leaves room for"
            + " one renewal that hangs."
      })
  @Nullable Duration grace;

  @Option(
      names = "--kill-after",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = TimeSpan.class,
      description = {
        "How long the command has from a signal that was passed on to KILL. Default:"
            + " ${DEFAULT-VALUE}."
      })
  Duration killAfter = Duration.ofSeconds(10);

  /** The shortest TTL under which a command can be started, watched and stopped. */
  private static final Duration MIN_TTL = Duration.ofMillis(500);

  Duration ttl() {
    return ttl;
  }

  Duration retry() {
    return retry == null ? ttl.dividedBy(3) : retry;
  }

  Duration grace() {
    return grace == null ? ttl.dividedBy(8) : grace;
  }

  Duration killAfter() {
    return killAfter;
  }

  /** Refuses what leaves no room for stopping a command. */
  void check() {
    if (ttl.compareTo(MIN_TTL) < 0) {
      throw new Refusal(
          ExitCodes.USAGE,
          "--ttl "
              + TimeSpan.show(ttl)
              + " is too short to start and stop a command in; give at least 500ms");
    }
  }
}
