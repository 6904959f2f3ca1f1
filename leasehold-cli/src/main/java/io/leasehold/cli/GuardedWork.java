package io.leasehold.cli;

import io.leasehold.cli.guard.GuardedCommand;
import io.leasehold.election.Term;
import io.leasehold.election.Work;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The work of {@code run} and {@code lead}: one run of the command per term, which returns only
 * when nothing of the command is left.
 *
 * <p>Told to end by the term, the command gets TERM, and KILL before the hold is over. Told by a
 * signal to leasehold, it gets that signal and may go on, its lease renewed, for {@code killAfter}.
 * When its own process ends, what that left behind is ended too, before the lease is given back.
 *
 * <p>Thread-safe: {@link #signal} may be called while the command runs.
 */
final class GuardedWork implements Work {

  /** How a command ended. */
  record Exit(int code, boolean held) {}

  /** How often a moved deadline is passed on, in parts of the TTL: a third of it is renewed. */
  private static final int FEEDS_PER_TTL = 30;

  private final List<String> command;
  private final Duration ttl;
  private final Duration grace;
  private final Duration killAfter;
  private final InstantSource clock;
  private final Console console;
  private final AtomicReference<@Nullable GuardedCommand> running = new AtomicReference<>();
  private final AtomicReference<@Nullable Exit> exit = new AtomicReference<>();
  private volatile @Nullable Long killAt;

  GuardedWork(List<String> command, LeaseTimes times, InstantSource clock, Console console) {
    this.command = List.copyOf(command);
    this.ttl = times.ttl();
    this.grace = times.grace();
    this.killAfter = times.killAfter();
    this.clock = clock;
    this.console = console;
  }

  /** How the command ended, if it has run and ended. */
  Optional<Exit> exit() {
    return Optional.ofNullable(exit.get());
  }

  @Override
  public void run(Term term) throws IOException, InterruptedException {
    try (GuardedCommand guarded =
        GuardedCommand.start(
            command, environment(term), grace, () -> term.remaining().plus(grace), clock)) {
      running.set(guarded);
      try {
        exit.set(serve(term, guarded));
      } finally {
        running.set(null);
        endAtLast(guarded);
      }
    }
  }

  /** Nothing may leave this work while something of the command lives. */
  private static void endAtLast(GuardedCommand guarded) throws IOException {
    boolean interrupted = false;
    while (true) {
      try {
        guarded.end(Duration.ZERO);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Map<String, String> environment(Term term) {
    return Map.of(
        "LEASEHOLD_NAME", term.name().value(),
        "LEASEHOLD_OWNER", term.owner(),
        "LEASEHOLD_TOKEN", term.token().toString());
  }

  private Exit serve(Term term, GuardedCommand guarded) throws IOException {
    Duration tick = tick();
    long holdEnd = System.nanoTime() + term.remaining().plus(grace).toNanos();
    while (true) {
      try {
        Optional<Integer> code = guarded.await(tick);
        if (code.isPresent()) {
          boolean held = term.isHeld() && !guarded.wasClosed();
          guarded.end(shorter(grace, Duration.ofNanos(holdEnd - System.nanoTime())));
          return new Exit(code.get(), held);
        }
        if (!term.isHeld()) {
          return stepDown(guarded, holdEnd);
        }
        if (!guarded.isGuarded()) {
          guarded.end(Duration.ZERO);
          throw new IOException("the guard of the command died; the command was killed");
        }
        Long kill = killAt;
        if (kill != null && System.nanoTime() - kill >= 0) {
          console.say("killing what has not ended " + TimeSpan.show(killAfter) + " after a signal");
          guarded.end(Duration.ZERO);
          continue;
        }
        long end = System.nanoTime() + term.remaining().plus(grace).toNanos();
        if (term.isHeld() && end - holdEnd > tick.toNanos() / 2) {
          holdEnd = end;
          guarded.extend(() -> term.remaining().plus(grace));
        }
      } catch (InterruptedException e) {
        // The term's end; seen above. Whoever else interrupts this thread wants the same.
        if (term.isHeld()) {
          return stepDown(guarded, holdEnd);
        }
      }
    }
  }

  /** TERM now; KILL at the end of the grace, or of the hold, whichever is first. */
  private Exit stepDown(GuardedCommand guarded, long holdEnd) throws IOException {
    Duration left = Duration.ofNanos(holdEnd - System.nanoTime());
    Duration patience = shorter(grace, left).minus(grace.dividedBy(10));
    try {
      guarded.end(patience.isNegative() ? Duration.ZERO : patience);
      return new Exit(guarded.await(Duration.ofSeconds(1)).orElse(ExitCodes.LOST), false);
    } catch (InterruptedException e) {
      endAtLast(guarded);
      return new Exit(ExitCodes.LOST, false);
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    Duration least = one.compareTo(other) < 0 ? one : other;
    return least.isNegative() ? Duration.ZERO : least;
  }

  private Duration tick() {
    long millis = ttl.dividedBy(FEEDS_PER_TTL).toMillis();
    return Duration.ofMillis(Math.max(5, Math.min(500, millis)));
  }

  /**
   * Passes a signal on to the command.
   *
   * @param signal its name without SIG
   * @param kills whether the command must be gone {@code killAfter} from now
   * @return whether a command runs
   */
  boolean signal(String signal, boolean kills) {
    GuardedCommand guarded = running.get();
    if (guarded == null) {
      return false;
    }
    try {
      if (kills && killAt == null) {
        killAt = System.nanoTime() + killAfter.toNanos();
      }
      guarded.send(signal);
    } catch (IOException e) {
      console.say("cannot pass " + signal + " on: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return true;
  }
}
