package io.leasehold.cli;

import io.leasehold.ElectionEvent;
import io.leasehold.EndReason;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.cli.guard.GuardedCommand;
import io.leasehold.election.Election;
import io.leasehold.election.ElectionStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One process's candidacy: an election whose work is the command. {@code run} ends with the first
 * term; {@code lead} goes on until a signal.
 *
 * <p>Thread-safe where it must be: the election's listener, the JVM's signal thread and the caller
 * meet in {@code over}, which is counted down once.
 */
final class Candidate {

  private final LeaseName name;
  private final LeaseTimes times;
  private final boolean onlyOnce;
  private final Console console;
  private final GuardedWork work;
  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch elected = new CountDownLatch(1);
  private final AtomicReference<@Nullable EndReason> ended = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicReference<@Nullable String> signalled = new AtomicReference<>();

  Candidate(
      LeaseName name, List<String> command, LeaseTimes times, boolean onlyOnce, Console console) {
    times.check();
    requireRunnable(command);
    this.name = name;
    this.times = times;
    this.onlyOnce = onlyOnce;
    this.console = console;
    this.work = new GuardedWork(command, times, InstantSource.system(), console);
  }

  /** Before a lease is taken for a command that cannot be run anyway. */
  private static void requireRunnable(List<String> command) {
    GuardedCommand.lack()
        .ifPresent(
            lack -> {
              throw new Refusal(ExitCodes.FAILED, lack);
            });
    String program = command.get(0);
    if (GuardedCommand.find(program).isEmpty()) {
      boolean there = program.contains("/") && Files.exists(Path.of(program));
      throw new Refusal(
          there ? ExitCodes.NOT_EXECUTABLE : ExitCodes.NOT_FOUND,
          program + (there ? ": cannot be executed" : ": no such command"));
    }
  }

  /**
   * Campaigns, and serves.
   *
   * @param wait how long to campaign before the first term; absent for ever
   * @param linger how long after the grant the name stays taken at least
   * @return the exit code
   */
  int campaign(LeaseStore store, Optional<Duration> wait, Duration linger)
      throws InterruptedException {
    Election election = start(store, linger);
    try (election) {
      OsSignals.take(signal -> signal(election, signal));
      if (wait.isPresent() && !awaitElected(election, wait.get())) {
        throw notElected(election, wait.get());
      }
      over.await();
    }
    return exitCode();
  }

  private Election start(LeaseStore store, Duration linger) {
    try {
      return Election.builder(store, name)
          .ttl(times.ttl())
          .retry(times.retry())
          .grace(times.grace())
          .linger(linger)
          .patience(times.killAfter())
          .listener((lease, event) -> on(event))
          .start(work);
    } catch (IllegalArgumentException e) {
      throw new Refusal(ExitCodes.USAGE, String.valueOf(e.getMessage()));
    }
  }

  /** Without a wait, one answer decides: taken, or no answer. */
  private boolean awaitElected(Election election, Duration wait) throws InterruptedException {
    long until = System.nanoTime() + wait.toNanos();
    while (!elected.await(5, TimeUnit.MILLISECONDS)) {
      if (over.getCount() == 0) {
        return true;
      }
      ElectionStatus status = election.status();
      boolean answered = status.holder().isPresent() || status.storeFailure().isPresent();
      boolean campaigning = status.phase() == ElectionStatus.Phase.CANDIDATE;
      boolean late = System.nanoTime() - until >= 0;
      if (campaigning && late && (answered || !wait.isZero())) {
        return elected.getCount() == 0;
      }
    }
    return true;
  }

  private Refusal notElected(Election election, Duration wait) {
    ElectionStatus status = election.status();
    Optional<LeaseView> holder = status.holder();
    String waited = wait.isZero() ? "" : " after " + TimeSpan.show(wait);
    if (status.storeFailure().isPresent()) {
      return new Refusal(
          ExitCodes.UNAVAILABLE,
          "no answer from the store" + waited + ": " + status.storeFailure().get());
    }
    return new Refusal(
        ExitCodes.TAKEN,
        name
            + " is taken"
            + waited
            + holder.map(view -> " by " + view.owner() + " with token " + view.token()).orElse(""));
  }

  private void on(ElectionEvent event) {
    if (event instanceof ElectionEvent.Elected won) {
      elected.countDown();
      console.progress(name + ": elected with token " + won.lease().token());
    } else if (event instanceof ElectionEvent.Moved moved) {
      console.progress(name + ": " + moved.why());
    } else if (event instanceof ElectionEvent.Ending ending) {
      ending(ending);
    } else if (event instanceof ElectionEvent.Ended end) {
      ended(end);
    } else if (event instanceof ElectionEvent.NotReleased left) {
      console.say(
          name + ": not released, so it stays taken for its TTL: " + Failures.line(left.cause()));
    } else if (event instanceof ElectionEvent.StoreAway away) {
      console.say(name + ": no answer from the store, trying on: " + Failures.line(away.cause()));
    } else if (event instanceof ElectionEvent.StoreBack) {
      console.say(name + ": the store answers again");
    } else if (event instanceof ElectionEvent.TokenRegressed regressed) {
      console.say(
          name
              + ": the store shows token "
              + regressed.shown()
              + " after "
              + regressed.seen()
              + "; it lost writes or was restored from a backup");
    }
  }

  private static boolean isLoss(EndReason reason) {
    return switch (reason) {
      case SUPERSEDED, UNREACHABLE, SUSPENDED, FORCED -> true;
      case WORK_ENDED, WORK_FAILED, YIELDED, STOPPED -> false;
    };
  }

  private void ending(ElectionEvent.Ending ending) {
    if (isLoss(ending.reason())) {
      console.say(
          name
              + ": lost token "
              + ending.lease().token()
              + " ("
              + ending.reason()
              + "); stopping the command");
    }
  }

  private void ended(ElectionEvent.Ended end) {
    ended.set(end.reason());
    end.failure()
        .ifPresent(
            thrown -> {
              failure.set(thrown);
              console.say(name + ": " + Failures.line(thrown));
            });
    if (onlyOnce || signalled.get() != null) {
      over.countDown();
    }
  }

  /** A signal to leasehold is the command's; if none runs, it ends the candidacy. */
  private void signal(Election election, String signal) {
    // A command may take INT for itself, as an editor does; only run leaves it that choice.
    boolean kills = !onlyOnce || !signal.equals("INT");
    signalled.compareAndSet(null, signal);
    if (!work.signal(signal, kills)) {
      election.stop();
      over.countDown();
    }
  }

  private int exitCode() {
    String signal = signalled.get();
    if (!onlyOnce) {
      return ExitCodes.OK;
    }
    EndReason reason = ended.get();
    Optional<GuardedWork.Exit> exit = work.exit();
    boolean lost = reason != null && isLoss(reason);
    if (lost || exit.filter(end -> !end.held()).isPresent()) {
      return ExitCodes.LOST;
    }
    if (failure.get() != null) {
      return ExitCodes.FAILED;
    }
    if (exit.isPresent()) {
      return exit.get().code();
    }
    return ExitCodes.SIGNAL + OsSignals.number(signal == null ? "TERM" : signal);
  }
}
