package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.leasehold.journal.Journal;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.EventType;
import org.opentest4j.AssertionFailedError;

/** The suite is tested itself: each wrong journal is caught by name, and by its own assertion. */
class WrongJournalTest {

  /**
   * What a defect elsewhere must leave standing, but for those that bear on it: a suite that fails
   * everything proves nothing.
   */
  private static final Map<String, List<Defect>> CONTROLS =
      Map.of(
          "J01", List.of(),
          "J40", List.of(),
          "J53", List.of(Defect.ABSENT_AS_EMPTY),
          "J60", List.of(),
          "J80", List.of(Defect.SEQUENCE_GLOBAL, Defect.EQUAL_TOKEN_REFUSED));

  /** Run by the engine below, never by itself. */
  static final class Suite extends JournalConformance {
    static volatile Defect defect = Defect.NONE;

    Suite() {
      super(new Fixture());
    }
  }

  private static final class Fixture implements JournalFixture {
    private Journal journal = new WrongJournal(Defect.NONE);

    @Override
    public void clear() {
      journal = new WrongJournal(Suite.defect);
    }

    @Override
    public Journal open() {
      return journal;
    }

    @Override
    public Duration patience() {
      return Duration.ofSeconds(2);
    }
  }

  /** Runs the suite; gives the failures by the id of their rule. */
  private static Map<String, Throwable> failures(Defect defect) {
    Suite.defect = defect;
    Map<String, Throwable> failures = new TreeMap<>();
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(Suite.class))
        .execute()
        .testEvents()
        .stream()
        .filter(event -> event.getType() == EventType.FINISHED)
        .forEach(event -> failure(event, failures));
    return failures;
  }

  private static void failure(Event event, Map<String, Throwable> failures) {
    event
        .getRequiredPayload(TestExecutionResult.class)
        .getThrowable()
        .ifPresent(
            thrown ->
                failures.put(event.getTestDescriptor().getDisplayName().substring(0, 3), thrown));
  }

  @Test
  void aJournalWithoutADefectPasses() {
    assertThat(failures(Defect.NONE)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aWrongJournalIsCaughtByName(Defect defect) {
    Map<String, Throwable> failures = failures(defect);
    assertThat(failures).as("caught by").containsKey(defect.rule);
    // A crash would be no catch: the rule's own assertion says what is not guaranteed.
    assertThat(failures.get(defect.rule))
        .isInstanceOf(AssertionFailedError.class)
        .hasMessageStartingWith(defect.rule + ": ");
    CONTROLS.forEach(
        (rule, except) -> {
          if (!except.contains(defect)) {
            assertThat(failures).as("control %s", rule).doesNotContainKey(rule);
          }
        });
    System.out.printf("%-40s caught by %s%n", defect, failures.keySet());
  }

  @Test
  void everyRuleHasAnIdOfItsOwnAndAParagraphInTheSpecification() throws IOException {
    String specification = Files.readString(Path.of("..", "SPEC-JOURNAL.md"));
    Set<String> ids = new HashSet<>();
    for (Class<?> rules : ruleClasses()) {
      for (Method method : rules.getDeclaredMethods()) {
        if (method.isAnnotationPresent(Test.class)) {
          String id = method.getAnnotation(DisplayName.class).value().substring(0, 3);
          assertThat(ids.add(id)).as("%s is used once", id).isTrue();
          assertThat(specification).contains("**" + id + "**");
        }
      }
    }
    List<String> described = new ArrayList<>();
    Matcher found = Pattern.compile("\\*\\*(J\\d\\d)\\*\\*").matcher(specification);
    while (found.find()) {
      described.add(found.group(1));
    }
    assertThat(described).containsExactlyInAnyOrderElementsOf(ids);
  }

  private static List<Class<?>> ruleClasses() {
    return Stream.of(JournalConformance.class.getDeclaredClasses())
        .<Class<?>>map(Class::getSuperclass)
        .sorted(Comparator.comparing(Class::getName))
        .toList();
  }
}
