package io.leasehold.redis;

import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Programs that a test needs and no artifact brings. */
final class SystemPrograms {

  private SystemPrograms() {}

  /** Skips the test by name when a program is missing; where CI is set, fails it. */
  static void require(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    boolean there =
        Arrays.stream(path.split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    if (!there && System.getenv("CI") != null) {
      fail("CI is set, but there is no " + program + " on the PATH");
    }
    assumeThat(there).as("%s is on the PATH", program).isTrue();
  }
}
