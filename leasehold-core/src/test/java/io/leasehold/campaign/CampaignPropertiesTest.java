package io.leasehold.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.ElectionEvent;
import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import io.leasehold.RenewAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Any order of events, sensible or not: what a campaign must never do. */
class CampaignPropertiesTest {

  private static final LeaseName NAME = LeaseName.of("net");
  private static final Duration TTL = Duration.ofMillis(600);

  /** One campaign under random events, with the rules checked after each. */
  private static final class Chaos {
    private final Random random;
    private final Campaign campaign;
    private long nanos;
    private long wall = 1_000_000;
    private int attempt;
    private long token = 100;
    private final List<CampaignAction> open = new ArrayList<>();
    private final Set<Long> renewedCalls = new HashSet<>();
    private boolean working;
    private boolean returning;
    private boolean told;
    private int elected;
    private int ended;
    private boolean closed;
    private Hold hold = new Hold(new Moment(0, 0), 0);

    Chaos(long seed, boolean grace) {
      random = new Random(seed);
      campaign =
          new Campaign(
              new CampaignPlan(
                  NAME,
                  "me",
                  TTL,
                  Duration.ofMillis(100),
                  grace ? Duration.ofMillis(100) : Duration.ZERO,
                  Duration.ZERO,
                  Duration.ofSeconds(2)),
              () -> "a" + ++attempt,
              () -> random.nextDouble() * 2 - 1,
              now());
    }

    private Moment now() {
      return new Moment(nanos, wall);
    }

    void step() {
      nanos +=
          random.nextInt(10) == 0
              ? random.nextInt(900) * 1_000_000L
              : random.nextInt(60) * 1_000_000L;
      wall = 1_000_000 + nanos / 1_000_000 + (random.nextInt(200) == 0 ? 5_000 : 0);
      for (CampaignAction action : campaign.on(event(), now())) {
        check(action);
      }
      returning = false;
      if (working && !told && !closed) {
        assertThat(hold.isOver(now())).as("serves past its hold").isFalse();
      }
    }

    private CampaignEvent event() {
      switch (random.nextInt(12)) {
        case 0 -> {
          return new CampaignEvent.Signalled();
        }
        case 1 -> {
          return random.nextInt(8) == 0
              ? new CampaignEvent.YieldAsked()
              : new CampaignEvent.TimePassed();
        }
        case 2 -> {
          return random.nextInt(40) == 0
              ? new CampaignEvent.StopAsked()
              : new CampaignEvent.TimePassed();
        }
        case 3, 4 -> {
          // Work returns once, when it runs.
          if (working && (told || random.nextInt(6) == 0)) {
            working = false;
            returning = true;
            return new CampaignEvent.WorkReturned(
                random.nextBoolean() ? Optional.empty() : Optional.of(new Error("work")));
          }
          return new CampaignEvent.TimePassed();
        }
        case 5, 6, 7, 8, 9 -> {
          return open.isEmpty() ? new CampaignEvent.TimePassed() : answer();
        }
        default -> {
          return new CampaignEvent.TimePassed();
        }
      }
    }

    /** Answers any call that was ever sent, in any order, sometimes twice. */
    private CampaignEvent answer() {
      int index = random.nextInt(open.size());
      CampaignAction call = random.nextInt(10) == 0 ? open.get(index) : open.remove(index);
      boolean lost = random.nextInt(4) == 0;
      if (call instanceof CampaignAction.SendAcquire acquire) {
        if (lost) {
          return new CampaignEvent.NoAnswer(acquire.call(), new Error("x"), random.nextBoolean());
        }
        return new CampaignEvent.AcquireAnswered(
            acquire.call(),
            random.nextInt(3) > 0
                ? new AcquireAnswer.Granted(lease(++token, acquire.attempt()))
                : new AcquireAnswer.Held(view()));
      } else if (call instanceof CampaignAction.SendRenew renew) {
        if (lost) {
          return new CampaignEvent.NoAnswer(renew.call(), new Error("x"), true);
        }
        return new CampaignEvent.RenewAnswered(
            renew.call(),
            random.nextInt(5) > 0
                ? new RenewAnswer.Renewed(
                    lease(renew.lease().token().value(), renew.lease().attempt()))
                : new RenewAnswer.Lost(Optional.of(view())));
      } else if (call instanceof CampaignAction.SendRelease release) {
        return lost
            ? new CampaignEvent.NoAnswer(release.call(), new Error("x"), true)
            : new CampaignEvent.ReleaseAnswered(release.call(), ReleaseAnswer.RELEASED);
      } else if (call instanceof CampaignAction.SendAbandon abandon) {
        return lost
            ? new CampaignEvent.NoAnswer(abandon.call(), new Error("x"), true)
            : new CampaignEvent.AbandonAnswered(abandon.call());
      }
      throw new IllegalStateException("not a call: " + call);
    }

    private void check(CampaignAction action) {
      if (action instanceof CampaignAction.StartWork start) {
        assertThat(working).as("two works at once").isFalse();
        assertThat(closed).as("work after the end").isFalse();
        assertThat(start.hold().isOver(now())).as("work on a hold that is over").isFalse();
        working = true;
        told = false;
        hold = start.hold();
      } else if (action instanceof CampaignAction.ExtendWork extend) {
        assertThat(working && !told).as("extends work that was told to end").isTrue();
        hold = extend.hold();
      } else if (action instanceof CampaignAction.EndWork) {
        assertThat(told).as("told twice").isFalse();
        told = true;
      } else if (action instanceof CampaignAction.SendRenew renew) {
        // Work may have returned in this very step, before which a renewal may have come due.
        assertThat((working || returning) && !told).as("renews after the term").isTrue();
        assertThat(renewedCalls.add(renew.call())).isTrue();
        open.add(action);
      } else if (action instanceof CampaignAction.SendRelease) {
        assertThat(working).as("releases while the work runs").isFalse();
        open.add(action);
      } else if (action instanceof CampaignAction.SendAcquire) {
        assertThat(working).as("campaigns while the work runs").isFalse();
        assertThat(closed).as("campaigns after the end").isFalse();
        open.add(action);
      } else if (action instanceof CampaignAction.SendAbandon) {
        open.add(action);
      } else if (action instanceof CampaignAction.Close) {
        assertThat(closed).as("closes twice").isFalse();
        closed = true;
        assertThat(ended).as("every start has its end").isEqualTo(elected);
      } else if (action instanceof CampaignAction.Tell tell) {
        if (tell.event() instanceof ElectionEvent.Elected) {
          elected++;
        } else if (tell.event() instanceof ElectionEvent.Ended) {
          ended++;
          assertThat(ended).as("no end without a start").isEqualTo(elected);
        }
      }
    }

    private Lease lease(long number, String of) {
      return new Lease(
          NAME, "me", of, new FencingToken(number), Instant.EPOCH, Instant.EPOCH.plus(TTL), TTL);
    }

    private LeaseView view() {
      boolean ours = random.nextInt(4) == 0;
      return new LeaseView(
          NAME,
          "other",
          ours ? "a" + Math.max(1, attempt - random.nextInt(3)) : "theirs",
          new FencingToken(Math.max(1, token - random.nextInt(3))),
          Instant.EPOCH,
          Instant.EPOCH,
          Instant.EPOCH.plusMillis(50),
          Duration.ofMillis(50),
          LeaseView.State.LIVE);
    }
  }

  @Property(tries = 400)
  void noOrderOfEventsBreaksACampaign(
      @ForAll long seed, @ForAll boolean grace, @ForAll @IntRange(min = 50, max = 600) int steps) {
    Chaos chaos = new Chaos(seed, grace);
    for (int i = 0; i < steps; i++) {
      chaos.step();
    }
  }
}
