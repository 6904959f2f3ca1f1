package io.leasehold.mergegate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigTest {

  private static Properties minimal() {
    Properties properties = new Properties();
    properties.setProperty("forge.token", "t");
    properties.setProperty("runs.token", "r");
    return properties;
  }

  @Test
  void aFewLinesAreEnough() {
    Config config = Config.of(minimal());
    assertThat(config.forgeUrl()).isEqualTo("https://api.github.com");
    assertThat(config.sweep().interval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.patience()).isEqualTo(Duration.ofHours(6));
  }

  @Test
  void everythingCanBeSet() {
    Properties properties = minimal();
    properties.setProperty("contexts", "ci/gate, review ,");
    properties.setProperty("workflow.CI build", "ci/gate");
    properties.setProperty("sweep.horizon", "4d");
    properties.setProperty("patience", "90m");
    Config config = Config.of(properties);
    assertThat(config.contexts()).containsExactlyInAnyOrder("ci/gate", "review");
    assertThat(config.workflows()).containsEntry("CI build", "ci/gate");
    assertThat(config.sweep().horizon()).isEqualTo(Duration.ofDays(4));
    assertThat(config.patience()).isEqualTo(Duration.ofMinutes(90));
  }

  @ParameterizedTest
  @CsvSource({
    "sweep.intervall,5s,unknown setting sweep.intervall",
    "sweep.interval,5,sweep.interval = 5 is not a duration",
    "sweep.interval,500h,sweep setting interval",
    "port,http,port = http is not a whole number",
    "database,jdbc:oracle:x,jdbc:postgresql:",
    "app.id,7,not both"
  })
  void whatIsWrongIsNamed(String key, String value, String message) {
    Properties properties = minimal();
    properties.setProperty(key, value);
    assertThatThrownBy(() -> Config.of(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void withoutAnyoneToTrustItDoesNotStart() {
    Properties properties = minimal();
    properties.remove("runs.token");
    assertThatThrownBy(() -> Config.of(properties)).hasMessageContaining("tell lies");
    properties.remove("forge.token");
    assertThatThrownBy(() -> Config.of(properties)).hasMessageContaining("nothing to sign");
  }
}
