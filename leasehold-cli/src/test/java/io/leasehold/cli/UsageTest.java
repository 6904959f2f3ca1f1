package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a command line, in this JVM: one line on standard error, and the exit code. */
final class UsageTest {

  private record Said(int code, String out, String err) {}

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "2|which command| ",
        "2|frobnicate|frobnicate",
        "2|--name|run -- true",
        "2|COMMAND|run --name job",
        "2|'5x' is not a duration|run --name job --ttl 5x -- true",
        "2|'-1s' is not a duration|run --name job --ttl -1s -- true",
        "2|at least 500ms|run --name job --ttl 10ms -- true",
        "2|grace|run --name job --ttl 3s --grace 2s -- true",
        "2|366 days|run --name job --ttl 999d -- true",
        "2|mutually exclusive|run --name job --wait 1s --no-wait -- true",
        "2|255|status NNN",
        "2|--force|release job",
        "2|no store has URLs|list --store gopher://x",
        "2|store|list --store nothing",
        "2|366 days|reclaim --ended-for 400d",
        "2|--every|watch job --every 0ms",
        "127|no such command|run --name job -- no-such-program",
        "126|cannot be executed|run --name job -- /etc/passwd",
        "1|nobody holds|release job --force",
        "69|Connection refused|list --store redis://localhost:1",
      })
  void badInputIsOneLineAndAnExitCode(int code, String words, String line) {
    String given = line == null ? "" : line.replace("NNN", "x".repeat(256));
    Said said = say(given.isBlank() ? List.of() : List.of(given.strip().split(" ", -1)));

    assertThat(said.err()).startsWith("leasehold: ").contains(words).hasLineCount(1);
    assertThat(said.err()).doesNotContain("Exception");
    assertThat(said.code()).isEqualTo(code);
    assertThat(said.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run", "lead", "status", "list", "release", "watch", "reclaim", "verify", "doctor"
      })
  void helpOfEveryCommandHasExamplesAndExitCodes(String command) {
    Said said = say(List.of(command, "--help"));

    assertThat(said.code()).isZero();
    assertThat(said.out())
        .contains("Usage: leasehold " + command)
        .contains("Examples:")
        .contains("  leasehold " + command)
        .contains("Exit codes:");
  }

  @Test
  void aPasswordInAStoreUrlIsNotShown() {
    Said said = say(List.of("list", "--store", "redis://user:hunter2@localhost:1"));

    assertThat(said.code()).isEqualTo(69);
    assertThat(said.err()).doesNotContain("hunter2");
  }

  @Test
  void answersInJsonAreOneObjectALine() {
    assertThat(say(List.of("status", "job \"x\"", "--json")).out().strip())
        .isEqualTo("{\"name\":\"job \\\"x\\\"\",\"state\":\"unknown\"}");
    assertThat(say(List.of("reclaim", "--json")).out().strip()).isEqualTo("{\"reclaimed\":0}");
    assertThat(say(List.of("run", "-n", "job", "--at-least", "1h", "--", "true")).code()).isZero();
    assertThat(say(List.of("list", "jo", "--json")).out().strip())
        .matches(
            "\\{\"name\":\"job\",\"state\":\"lingering\",\"owner\":\"[^\"]+\",\"token\":\\d+,"
                + "\"attempt\":\"[^\"]+\",\"grantedAt\":\"[^\"]+Z\",\"renewedAt\":\"[^\"]+Z\","
                + "\"expiresAt\":\"[^\"]+Z\",\"remainingMs\":\\d+\\}");
    assertThat(say(List.of("list", "other", "--json")).out()).isEmpty();
  }

  @Test
  void theEmbeddedStoreKeepsEveryRuleOfTheSuite() {
    Said said = say(List.of("verify", "--json", "--ttl", "500ms"));

    assertThat(said.out()).doesNotContain("\"broken\"").contains("\"rule\":\"L01\"");
    assertThat(said.out().lines().filter(line -> line.contains("\"holds\"")).count())
        .isGreaterThan(50);
    assertThat(said.code()).isZero();
  }

  @Test
  void theDoctorFindsNothingFailingInTheEmbeddedStore() {
    Said said = say(List.of("doctor"));
    assertThat(said.out()).contains("ok    ").doesNotContain("FAIL");
    assertThat(said.code()).isZero();

    Said json = say(List.of("doctor", "--json"));
    assertThat(json.out().lines())
        .isNotEmpty()
        .allMatch(line -> line.startsWith("{\"level\":\"") && line.endsWith("}"));
  }

  private Said say(List<String> arguments) {
    java.util.ArrayList<String> line = new java.util.ArrayList<>(arguments);
    if (!line.isEmpty() && !line.contains("--store") && !line.get(0).startsWith("frob")) {
      line.add(1, "--store=sqlite:" + directory.resolve("leases.db"));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream oldOut = System.out;
    PrintStream oldErr = System.err;
    try {
      System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
      int code = Main.call(line.toArray(String[]::new));
      return new Said(
          code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(oldOut);
      System.setErr(oldErr);
    }
  }
}
