package io.leasehold.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A duration as people write it: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 1h}, {@code 2d}.
 */
final class TimeSpan implements ITypeConverter<Duration> {

  private static final Pattern FORM = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");

  @Override
  public Duration convert(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a duration; write a whole number and ms, s, m, h or d: 30s");
    }
    long count = Long.parseLong(form.group(1));
    return switch (form.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofDays(count);
    };
  }

  /** In the unit that shows it best. */
  static String show(Duration span) {
    long millis = span.toMillis();
    if (millis < 1_000) {
      return millis + "ms";
    }
    if (millis < 60_000) {
      return millis / 1_000 + "." + millis % 1_000 / 100 + "s";
    }
    long seconds = millis / 1_000;
    if (seconds < 3_600) {
      return seconds / 60 + "m" + seconds % 60 + "s";
    }
    return seconds < 172_800
        ? seconds / 3_600 + "h" + seconds % 3_600 / 60 + "m"
        : seconds / 86_400 + "d" + seconds % 86_400 / 3_600 + "h";
  }
}
