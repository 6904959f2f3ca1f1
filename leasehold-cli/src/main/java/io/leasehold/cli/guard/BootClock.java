package io.leasehold.cli.guard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Linux's clock since boot, which this JVM and the shell of the guard both read from {@code
 * /proc/uptime}. Having one clock, neither has to know when a message was sent. It goes on while
 * the machine is suspended, and no operator sets it.
 */
final class BootClock {

  private static final Path UPTIME = Path.of("/proc/uptime");

  private BootClock() {}

  static boolean exists() {
    return Files.isReadable(UPTIME);
  }

  /** Hundredths of a second since boot, rounded down. */
  static long now() throws IOException {
    return parse(Files.readString(UPTIME));
  }

  static long parse(String uptime) throws IOException {
    int dot = uptime.indexOf('.');
    if (dot < 1 || uptime.length() < dot + 3) {
      throw new IOException("/proc/uptime reads '" + uptime.strip() + "'; Linux shows 12.34 there");
    }
    try {
      return Long.parseLong(uptime.substring(0, dot)) * 100
          + Long.parseLong(uptime.substring(dot + 1, dot + 3));
    } catch (NumberFormatException e) {
      throw new IOException(
          "/proc/uptime reads '" + uptime.strip() + "'; Linux shows 12.34 there", e);
    }
  }
}
