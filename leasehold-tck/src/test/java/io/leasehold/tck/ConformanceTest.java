package io.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.tck.RuleResult.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The suite as a program runs it, against a store that others use too. */
final class ConformanceTest {

  private static final LeaseName OTHERS = LeaseName.of("somebody-else's");

  /** A live store, on which the suite may reclaim nothing. */
  private static final class LiveFixture implements LeaseStoreFixture {
    private final LeaseStore store = new MemoryLeaseStore(InstantSource.system());

    @Override
    public LeaseStore openStore() {
      return store;
    }

    @Override
    public Duration ttl() {
      return Duration.ofMillis(60);
    }

    @Override
    public int batch() {
      return 20;
    }

    @Override
    public String prefix() {
      return "verify-";
    }

    @Override
    public Map<Capability, String> lacks() {
      return Map.of(
          Capability.SHARED, "a memory store is a database of its own",
          Capability.OWN_CLOCK, "a memory store is on its caller's clock",
          Capability.RECLAIM, "others use this store");
    }
  }

  @Test
  void aLiveStoreIsVerifiedWithoutHarmToOthers() {
    LiveFixture fixture = new LiveFixture();
    fixture.store.acquire(OTHERS, "them", "ended", Duration.ofMillis(1));
    List<RuleResult> told = new ArrayList<>();

    ConformanceReport report = Conformance.check(fixture, told::add);

    assertThat(report.conforms()).as("%s", report.with(Verdict.BROKEN)).isTrue();
    assertThat(report.results()).containsExactlyInAnyOrderElementsOf(told);
    assertThat(report.with(Verdict.NOT_SHOWN))
        .extracting(RuleResult::rule)
        .containsExactly(
            "L10", "L17", "L53", "L54", "L55", "L66", "L67", "L71", "L72", "L73", "L74", "L75");
    assertThat(report.with(Verdict.NOT_SHOWN))
        .filteredOn(result -> result.rule().equals("L53"))
        .singleElement()
        .satisfies(result -> assertThat(result.detail()).contains("others use this store"));

    List<LeaseView> all = fixture.store.inspect("", Page.first(Page.MAX_SIZE)).leases();
    assertThat(all).as("others' ended records are left").anyMatch(v -> v.name().equals(OTHERS));
    assertThat(all)
        .as("the suite's names are under its prefix, and none is left live")
        .filteredOn(view -> !view.name().equals(OTHERS))
        .isNotEmpty()
        .allMatch(view -> view.name().value().startsWith("verify-") && !view.isLive());
  }

  @Test
  void aStoreThatCannotBeOpenedFailsAndIsNotCalledBroken() {
    ConformanceReport report =
        Conformance.check(
            () -> {
              throw new IOException("no such server");
            });

    assertThat(report.conforms()).isFalse();
    assertThat(report.results())
        .isNotEmpty()
        .allMatch(result -> result.verdict() == Verdict.FAILED)
        .allMatch(result -> result.detail().contains("no such server"));
  }
}
