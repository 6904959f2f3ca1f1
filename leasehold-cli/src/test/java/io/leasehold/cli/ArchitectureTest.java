package io.leasehold.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The module map: who may know whom, and who may look at a clock. */
@AnalyzeClasses(packages = "io.leasehold", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {

  private static final String[] CORE = {
    "io.leasehold",
    "io.leasehold.campaign..",
    "io.leasehold.election..",
    "io.leasehold.internal..",
    "io.leasehold.keeper..",
    "io.leasehold.memory..",
    "io.leasehold.spi.."
  };

  /** The modules that stand on core, each with those it may know; see docs in ARCHITECTURE.md. */
  private static final Map<String, List<String>> MAP = new LinkedHashMap<>();

  static {
    MAP.put("tck", List.of());
    MAP.put("jdbc", List.of());
    MAP.put("redis", List.of());
    MAP.put("mongodb", List.of());
    MAP.put("journal", List.of("jdbc"));
    MAP.put("http", List.of());
    MAP.put("sweep", List.of("http", "journal"));
    MAP.put("simulator", List.of("tck"));
    MAP.put("stores", List.of());
    MAP.put("cli", List.of("tck", "stores", "simulator"));
  }

  @ArchTest
  static void coreKnowsNoOtherModule(JavaClasses classes) {
    String[] others = MAP.keySet().stream().map(ArchitectureTest::packageOf).toArray(String[]::new);
    noClasses()
        .that()
        .resideInAnyPackage(CORE)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others)
        .check(classes);
  }

  @ArchTest
  static void aModuleKnowsOnlyWhatTheMapSays(JavaClasses classes) {
    MAP.forEach(
        (module, known) -> {
          String[] strangers =
              MAP.keySet().stream()
                  .filter(other -> !other.equals(module) && !known.contains(other))
                  .map(ArchitectureTest::packageOf)
                  .toArray(String[]::new);
          noClasses()
              .that()
              .resideInAPackage(packageOf(module))
              .should()
              .dependOnClassesThat()
              .resideInAnyPackage(strangers)
              .allowEmptyShould(true)
              .check(classes);
        });
  }

  @ArchTest
  static void packagesHaveNoCycles(JavaClasses classes) {
    slices().matching("io.leasehold.(*)..").should().beFreeOfCycles().check(classes);
    slices().matching("io.leasehold.cli.(*)..").should().beFreeOfCycles().check(classes);
  }

  /** Core and the campaign are given their clocks; a store's own threads may wait. */
  @ArchTest
  static void coreReadsNoGlobalClock(JavaClasses classes) {
    noClasses()
        .that()
        .resideInAnyPackage(CORE)
        .and()
        .doNotHaveFullyQualifiedName("io.leasehold.Ticker")
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Instant.class, "now")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .check(classes);
  }

  @ArchTest
  static void thePureCampaignHasNoThreadAndNoLog(JavaClasses classes) {
    noClasses()
        .that()
        .resideInAPackage("io.leasehold.campaign..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.slf4j..", "java.util.concurrent..")
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(Thread.class)
        .check(classes);
  }

  private static String packageOf(String module) {
    return "io.leasehold." + module + "..";
  }
}
