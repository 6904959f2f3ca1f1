package io.leasehold.cli;

import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.spi.Finding;
import io.leasehold.stores.LeaseStores;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that every command has. */
final class StoreOptions {

  @Option(
      names = "--store",
      paramLabel = "URL",
      description = {
        "Where the leases are: sqlite:FILE, postgresql://, mysql://, mariadb://, redis://,"
            + " mongodb://. Else the environment's LEASEHOLD_STORE; else a SQLite file of this"
            + " user's on this host (leasehold/leases.db in XDG_STATE_HOME or ~/.local/state)."
      })
  @Nullable String url;

  @Option(
      names = {"-v", "--verbose"},
      description = "Log to standard error what happens, also in the libraries.")
  boolean verbose;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  /** Where the leases are. */
  String url() {
    if (url != null) {
      return url;
    }
    return variable("LEASEHOLD_STORE").orElseGet(StoreOptions::userFile);
  }

  /** Opens the store. */
  LeaseStore open() {
    return reach(LeaseStores::open);
  }

  /** Looks at the store without changing anything. */
  List<Finding> examine() {
    return reach(LeaseStores::examine);
  }

  private <T> T reach(Function<String, T> call) {
    if (verbose) {
      // Before the first logger is made.
      System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "debug");
      System.setProperty("org.slf4j.simpleLogger.showDateTime", "true");
      System.setProperty("org.slf4j.simpleLogger.dateTimeFormat", "HH:mm:ss.SSS");
    }
    try {
      return call.apply(url());
    } catch (IllegalArgumentException e) {
      throw new Refusal(ExitCodes.USAGE, "--store: " + e.getMessage());
    } catch (IllegalStateException e) {
      throw new Refusal(ExitCodes.UNAVAILABLE, String.valueOf(e.getMessage()));
    } catch (LeaseStoreException e) {
      throw Failures.unavailable(e);
    }
  }

  private static String userFile() {
    Path state =
        variable("XDG_STATE_HOME")
            .map(Path::of)
            .orElseGet(() -> Path.of(System.getProperty("user.home"), ".local", "state"));
    return "sqlite:" + encoded(state.resolve("leasehold").resolve("leases.db").toString());
  }

  /** A path in a URL: what a URL gives a meaning is percent-encoded. */
  private static String encoded(String path) {
    StringBuilder text = new StringBuilder();
    for (byte octet : path.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (octet & 0xff);
      if (c < 0x80 && (Character.isLetterOrDigit(c) || "/._-~".indexOf(c) >= 0)) {
        text.append(c);
      } else {
        text.append('%').append(String.format("%02X", (int) c));
      }
    }
    return text.toString();
  }

  private static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isEmpty());
  }
}
