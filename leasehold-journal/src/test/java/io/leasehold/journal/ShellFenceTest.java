package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shell script of docs/fencing.md. */
class ShellFenceTest {

  private static final Path SCRIPT = Path.of("../docs/examples/fenced-append.sh");

  @TempDir Path folder;

  @Test
  void aPausedScriptWakesAndItsLineIsRefused() throws Exception {
    assertThat(append("7", "by 7")).isZero();
    assertThat(append("8", "by 8")).isZero();
    assertThat(append("7", "by 7 again")).isEqualTo(75);
    assertThat(append("8", "by 8 again")).isZero();
    assertThat(append("1767225600000001", "by a real token")).isZero();
    assertThat(Files.readAllLines(folder.resolve("report.log")))
        .containsExactly("by 7", "by 8", "by 8 again", "by a real token");
  }

  @Test
  void aScriptWithoutATokenWritesNothing() throws Exception {
    assertThat(append("", "x")).isNotZero();
    assertThat(folder.resolve("report.log")).doesNotExist();
  }

  private int append(String token, String line) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("sh", SCRIPT.toString(), folder.resolve("report.log").toString(), line);
    builder.environment().putAll(Map.of("LEASEHOLD_TOKEN", token));
    Process process = builder.inheritIO().start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }
}
