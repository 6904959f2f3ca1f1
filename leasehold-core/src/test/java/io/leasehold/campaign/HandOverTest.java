package io.leasehold.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LeaseName;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * How long a name is without a holder, between two candidates over one store, to the millisecond.
 */
class HandOverTest {

  private static final LeaseName NAME = LeaseName.of("net");
  private static final Duration TTL = Duration.ofSeconds(6);
  private static final Duration RETRY = Duration.ofMillis(1_500);

  private long millis = 1_700_000_000_000L;
  private final MemoryLeaseStore store = new MemoryLeaseStore(() -> Instant.ofEpochMilli(millis));
  private final List<Replica> replicas = new ArrayList<>();

  private Moment now() {
    return new Moment(millis * 1_000_000, millis);
  }

  /** Drives a campaign with calls that take no time. Its work returns as soon as it is told. */
  private final class Replica {
    final Campaign campaign;
    final String owner;
    boolean serving;
    boolean crashed;
    private long wakeAt;
    private int attempts;
    private final ArrayDeque<CampaignEvent> inbox = new ArrayDeque<>();

    Replica(String owner, boolean signals) {
      this.owner = owner;
      CampaignPlan plan =
          new CampaignPlan(
              NAME, owner, TTL, RETRY, Duration.ZERO, Duration.ZERO, Duration.ofSeconds(30));
      campaign = new Campaign(plan, () -> owner + ++attempts, () -> 0, now());
      wakeAt = now().nanos();
      if (signals) {
        store.subscribe(NAME, () -> inbox.add(new CampaignEvent.Signalled()));
      }
      replicas.add(this);
    }

    boolean step() {
      if (crashed || (inbox.isEmpty() && wakeAt > now().nanos())) {
        return false;
      }
      CampaignEvent event = inbox.isEmpty() ? new CampaignEvent.TimePassed() : inbox.remove();
      campaign.on(event, now()).forEach(this::perform);
      return true;
    }

    private void perform(CampaignAction action) {
      if (action instanceof CampaignAction.SendAcquire acquire) {
        inbox.add(
            new CampaignEvent.AcquireAnswered(
                acquire.call(), store.acquire(NAME, owner, acquire.attempt(), TTL)));
      } else if (action instanceof CampaignAction.SendRenew renew) {
        inbox.add(new CampaignEvent.RenewAnswered(renew.call(), store.renew(renew.lease(), TTL)));
      } else if (action instanceof CampaignAction.SendRelease release) {
        inbox.add(
            new CampaignEvent.ReleaseAnswered(
                release.call(), store.release(release.lease(), release.linger())));
      } else if (action instanceof CampaignAction.StartWork) {
        serving = true;
      } else if (action instanceof CampaignAction.EndWork) {
        serving = false;
        inbox.add(new CampaignEvent.WorkReturned(Optional.empty()));
      } else if (action instanceof CampaignAction.WakeAt wake) {
        wakeAt = wake.nanos();
      }
    }
  }

  private void run(long forMillis) {
    for (long until = millis + forMillis; ; millis++) {
      boolean busy = true;
      while (busy) {
        busy = false;
        for (Replica replica : replicas) {
          busy |= replica.step();
        }
        assertThat(replicas.stream().filter(each -> each.serving && !each.crashed).count())
            .as("replicas that serve")
            .isLessThanOrEqualTo(1);
      }
      if (millis >= until) {
        return;
      }
    }
  }

  /** Runs until this replica serves; says how many milliseconds that took. */
  private long until(Replica serves) {
    long began = millis;
    while (!serves.serving) {
      run(0);
      if (!serves.serving) {
        millis++;
      }
      assertThat(millis - began).as("no hand-over").isLessThan(60_000);
    }
    return millis - began;
  }

  @Test
  void aCleanStopHandsOverAtOnceWithSignals() {
    Replica first = new Replica("a", true);
    run(100);
    Replica second = new Replica("b", true);
    run(700);
    first.inbox.add(new CampaignEvent.StopAsked());
    assertThat(until(second)).isZero();
  }

  @Test
  void aCleanStopHandsOverWithinOneRetryWithoutSignals() {
    Replica first = new Replica("a", false);
    run(100);
    Replica second = new Replica("b", false);
    run(700);
    first.inbox.add(new CampaignEvent.StopAsked());
    assertThat(until(second)).isBetween(1L, RETRY.toMillis());
  }

  @Test
  void aCrashHandsOverWhenTheLeaseExpires() {
    Replica first = new Replica("a", true);
    run(100);
    Replica second = new Replica("b", true);
    run(4_700);
    first.crashed = true;
    long left = store.read(NAME).orElseThrow().remaining().toMillis();
    assertThat(until(second)).isBetween(left, left + 1).isLessThanOrEqualTo(TTL.toMillis());
  }

  @Test
  void aHealthyHolderKeepsItsTermForAnHour() {
    Replica first = new Replica("a", true);
    run(1);
    new Replica("b", true);
    run(Duration.ofHours(1).toMillis());
    assertThat(first.serving).isTrue();
    assertThat(first.attempts).isEqualTo(1);
  }
}
