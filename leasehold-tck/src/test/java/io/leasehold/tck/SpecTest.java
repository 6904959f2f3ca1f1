package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** SPEC.md and the suite say the same. */
final class SpecTest {

  private static final Pattern HEADING = Pattern.compile("### (L\\d\\d) (.+)");

  @Test
  void everyRuleHasItsParagraphUnderItsOwnTitle() throws IOException {
    Map<String, String> written = new TreeMap<>();
    Map<String, Integer> length = new TreeMap<>();
    String id = "";
    for (String line : Files.readAllLines(Path.of("..", "SPEC.md"))) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        id = heading.group(1);
        assertThat(written.put(id, heading.group(2))).as("%s is written once", id).isNull();
      } else if (line.startsWith("#")) {
        id = "";
      } else if (!id.isEmpty()) {
        length.merge(id, line.length(), Integer::sum);
      }
    }

    assertThat(written).isEqualTo(rules());
    assertThat(length)
        .allSatisfy(
            (rule, chars) -> assertThat(chars).as("%s has a paragraph", rule).isGreaterThan(120));
  }

  @Test
  void idsAreNumberedWithoutAGap() {
    List<String> ids = List.copyOf(rules().keySet());
    for (int i = 0; i < ids.size(); i++) {
      assertThat(ids.get(i)).isEqualTo(String.format("L%02d", i + 1));
    }
  }

  /** The titles of the suite's rules by their ids. */
  static Map<String, String> rules() {
    TestPlan plan = StoreVerification.launcher().discover(StoreVerification.request("none"));
    Map<String, String> rules = new TreeMap<>();
    for (TestIdentifier root : plan.getRoots()) {
      for (TestIdentifier test : plan.getDescendants(root)) {
        if (test.isTest()) {
          String[] parts = test.getDisplayName().split(" ", 2);
          assertThat(rules.put(parts[0], parts[1])).as("%s is used once", parts[0]).isNull();
        }
      }
    }
    return rules;
  }
}
