package io.leasehold.mergegate;

import io.leasehold.sweep.SweepSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The one configuration file, read and checked. Durations are written {@code 30s}, {@code 5m},
 * {@code 8h}, {@code 8d}.
 */
record Config(
    String database,
    String forgeUrl,
    Optional<String> forgeToken,
    Optional<String> appId,
    Optional<Path> appKey,
    String bind,
    int port,
    Optional<String> webhookSecret,
    Optional<String> runsToken,
    Set<String> contexts,
    Map<String, String> workflows,
    Duration patience,
    Duration ttl,
    SweepSettings sweep) {

  private static final Set<String> KEYS =
      Set.of(
          "database",
          "forge.url",
          "forge.token",
          "app.id",
          "app.key",
          "bind",
          "port",
          "webhook.secret",
          "runs.token",
          "contexts",
          "patience",
          "ttl",
          "sweep.interval",
          "sweep.lookback",
          "sweep.horizon",
          "sweep.grace",
          "sweep.deep-every");

  private static final String WORKFLOW = "workflow.";

  static Config read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    return of(properties);
  }

  static Config of(Properties given) {
    Set<String> unknown = new TreeSet<>(given.stringPropertyNames());
    unknown.removeIf(key -> KEYS.contains(key) || key.startsWith(WORKFLOW));
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "unknown setting %s; known are %s and %s<name>"
              .formatted(
                  String.join(", ", unknown), String.join(", ", new TreeSet<>(KEYS)), WORKFLOW));
    }
    Map<String, String> workflows = new HashMap<>();
    for (String key : given.stringPropertyNames()) {
      if (key.startsWith(WORKFLOW)) {
        workflows.put(key.substring(WORKFLOW.length()), given.getProperty(key).trim());
      }
    }
    Config config =
        new Config(
            text(given, "database").orElse("jdbc:sqlite:merge-gate.db"),
            text(given, "forge.url").orElse("https://api.github.com"),
            text(given, "forge.token"),
            text(given, "app.id"),
            text(given, "app.key").map(Path::of),
            text(given, "bind").orElse("0.0.0.0"),
            number(given, "port", 8080),
            text(given, "webhook.secret"),
            text(given, "runs.token"),
            text(given, "contexts").map(Config::list).orElse(Set.of()),
            workflows,
            duration(given, "patience", Duration.ofHours(6)),
            duration(given, "ttl", Duration.ofSeconds(30)),
            sweep(given));
    config.check();
    return config;
  }

  private void check() {
    if (forgeToken.isEmpty() && (appId.isEmpty() || appKey.isEmpty())) {
      throw new IllegalArgumentException(
          "nothing to sign requests with: give app.id and app.key, or forge.token");
    }
    if (forgeToken.isPresent() && appId.isPresent()) {
      throw new IllegalArgumentException("give app.id and app.key, or forge.token, not both");
    }
    if (!database.startsWith("jdbc:sqlite:") && !database.startsWith("jdbc:postgresql:")) {
      throw new IllegalArgumentException(
          "database has to begin with jdbc:sqlite: or jdbc:postgresql:");
    }
    if (webhookSecret.isEmpty() && runsToken.isEmpty()) {
      throw new IllegalArgumentException(
          "anybody could tell lies: give webhook.secret, runs.token or both");
    }
  }

  private static SweepSettings sweep(Properties given) {
    SweepSettings defaults = SweepSettings.builder().grace(Duration.ofSeconds(10)).build();
    return SweepSettings.builder()
        .interval(duration(given, "sweep.interval", Duration.ofSeconds(30)))
        .lookback(duration(given, "sweep.lookback", defaults.lookback()))
        .horizon(duration(given, "sweep.horizon", defaults.horizon()))
        .grace(duration(given, "sweep.grace", defaults.grace()))
        .deepEvery(number(given, "sweep.deep-every", defaults.deepEvery()))
        .build();
  }

  private static Optional<String> text(Properties given, String key) {
    return Optional.ofNullable(given.getProperty(key)).map(String::trim).filter(s -> !s.isEmpty());
  }

  private static Set<String> list(String text) {
    return Arrays.stream(text.split(",", -1))
        .map(String::trim)
        .filter(s -> !s.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static int number(Properties given, String key, int otherwise) {
    return parsed(given, key, otherwise, Integer::parseInt, "a whole number");
  }

  private static Duration duration(Properties given, String key, Duration otherwise) {
    return parsed(
        given,
        key,
        otherwise,
        text -> Duration.parse(text.endsWith("d") ? "P" + text : "PT" + text),
        "a duration such as 30s, 5m, 8h or 8d");
  }

  private static <T> T parsed(
      Properties given, String key, T otherwise, Function<String, T> parser, String shape) {
    Optional<String> text = text(given, key);
    try {
      return text.map(parser).orElse(otherwise);
    } catch (DateTimeParseException | NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s = %s is not %s".formatted(key, text.orElse(""), shape), e);
    }
  }
}
