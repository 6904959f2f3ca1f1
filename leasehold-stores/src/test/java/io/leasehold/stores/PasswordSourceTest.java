package io.leasehold.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PasswordSourceTest {

  @TempDir private Path directory = Path.of(".");

  @Test
  void theUrlComesFirstThenItsFileThenTheVariableThenTheVariablesFile() throws IOException {
    Path file = Files.writeString(directory.resolve("one"), "from-option\n");
    Path other = Files.writeString(directory.resolve("two"), "from-file\r\n");
    Map<String, String> both =
        Map.of(
            "LEASEHOLD_STORE_PASSWORD",
            "from-variable",
            "LEASEHOLD_STORE_PASSWORD_FILE",
            other.toString());
    assertThat(password("redis://u:from-url@host", both)).contains("from-url");
    assertThat(password("redis://u@host?passwordFile=" + file, both)).contains("from-option");
    assertThat(password("redis://u@host", both)).contains("from-variable");
    assertThat(
            password(
                "redis://u@host",
                Map.of(
                    "LEASEHOLD_STORE_PASSWORD",
                    "",
                    "LEASEHOLD_STORE_PASSWORD_FILE",
                    other.toString())))
        .contains("from-file");
    assertThat(password("redis://u@host", Map.of())).isEmpty();
  }

  @Test
  void theOptionIsNotHandedOn() throws IOException {
    Path file = Files.writeString(directory.resolve("one"), "secret");
    StoreUrl url = complete("redis://u@host?passwordFile=" + file + "&signals=off", Map.of());
    assertThat(url.options()).isEqualTo(Map.of("signals", "off"));
  }

  @Test
  void aStoreWithoutAServerTakesNothingFromTheEnvironment() {
    assertThat(password("sqlite:leases.db", Map.of("LEASEHOLD_STORE_PASSWORD", "x"))).isEmpty();
  }

  @Test
  void aFileThatIsNoPasswordIsRefusedByItsName() throws IOException {
    refused(directory.resolve("missing"), "cannot be read");
    refused(directory, "");
    refused(Files.writeString(directory.resolve("empty"), "\n"), "one line");
    refused(Files.writeString(directory.resolve("lines"), "a-secret\nb-secret\n"), "one line");
    refused(Files.write(directory.resolve("bytes"), new byte[] {(byte) 0xff}), "UTF-8");
    refused(Files.write(directory.resolve("large"), new byte[5_000]), "4096");
  }

  @Test
  void aPasswordGivenTwiceInOneUrlIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> complete("redis://u:hunter2@host?passwordFile=x", Map.of()))
        .withMessageContaining("give one")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
  }

  private static void refused(Path file, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> complete("redis://u@host?passwordFile=" + file, Map.of()))
        .withMessageContaining(why)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("-secret"));
  }

  private static Optional<String> password(String url, Map<String, String> environment) {
    return complete(url, environment).password();
  }

  private static StoreUrl complete(String url, Map<String, String> environment) {
    return new PasswordSource(name -> Optional.ofNullable(environment.get(name)))
        .complete(StoreUrl.parse(url));
  }
}
