package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** SPEC.md and the suite say the same. */
final class SpecTest {

  private static final Pattern SECTION =
      Pattern.compile("^### (L\\d+ .*)\\n\\n((?:(?!^#).*\\n)*)", Pattern.MULTILINE);

  private static Map<String, String> sections() throws IOException {
    Map<String, String> sections = new TreeMap<>();
    Matcher section = SECTION.matcher(Files.readString(Path.of("..", "SPEC.md")));
    while (section.find()) {
      assertThat(sections.put(section.group(1), section.group(2)))
          .as("a rule has one section: %s", section.group(1))
          .isNull();
    }
    return sections;
  }

  @Test
  void everyRuleHasASectionAndEverySectionARule() throws IOException {
    assertThat(sections().keySet()).isEqualTo(RuleIds.titles());
  }

  @Test
  void noIdIsGivenTwice() {
    assertThat(RuleIds.ofTheSuite()).hasSameSizeAs(RuleIds.titles());
  }

  @Test
  void everySectionSaysWhyAndHowItGoesWrong() throws IOException {
    assertThat(sections())
        .allSatisfy(
            (rule, text) ->
                assertThat(text).as(rule).contains("*Why:* ").contains("*Usually wrong:* "));
  }
}
