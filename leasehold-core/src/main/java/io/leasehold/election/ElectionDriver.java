package io.leasehold.election;

import io.leasehold.ElectionEvent;
import io.leasehold.EndReason;
import io.leasehold.LeaseStore;
import io.leasehold.campaign.Campaign;
import io.leasehold.campaign.CampaignAction;
import io.leasehold.campaign.CampaignEvent;
import io.leasehold.campaign.CampaignPlan;
import io.leasehold.campaign.CampaignStatus;
import io.leasehold.campaign.Moment;
import io.leasehold.internal.Listeners;
import io.leasehold.internal.StoreCalls;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a {@link Campaign} with real threads: one that drives it, one for its listeners, one for the
 * work of a term, and a bounded number for store calls.
 *
 * <p>Lock order: {@code lock} is the only lock, is held for one step of the campaign and never
 * around a store call, the work or a listener.
 */
final class ElectionDriver {

  private static final Logger log = LoggerFactory.getLogger(Election.class);

  private final LeaseStore store;
  private final CampaignPlan plan;
  private final Election.Settings settings;
  private final Work work;
  private final Campaign campaign;
  private final ThreadFactory workThreads;
  private final StoreCalls calls;
  private final Listeners listeners;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedBlockingQueue<CampaignEvent> inbox = new LinkedBlockingQueue<>();
  private final CountDownLatch done = new CountDownLatch(1);

  // Touched by the driving thread only.
  private long wakeAt;
  private boolean closing;
  private @Nullable ServedTerm term;
  private LeaseStore.Subscription subscription = LeaseStore.Subscription.NONE;

  private volatile @Nullable Thread workThread;
  private boolean over; // guarded by lock

  ElectionDriver(LeaseStore store, CampaignPlan plan, Election.Settings settings, Work work) {
    this.store = store;
    this.plan = plan;
    this.settings = settings;
    this.work = work;
    Moment start = now();
    this.campaign = new Campaign(plan, settings.attempts(), settings.jitter(), start);
    this.wakeAt = start.nanos();
    String subject = plan.name().value();
    this.workThreads = StoreCalls.Threads.named(settings.threads(), "work", subject);
    this.calls = new StoreCalls(StoreCalls.Threads.named(settings.threads(), "call", subject));
    this.listeners =
        new Listeners(StoreCalls.Threads.named(settings.threads(), "listener", subject));
    this.thread =
        StoreCalls.Threads.named(settings.threads(), "election", subject).newThread(this::drive);
  }

  void start() {
    thread.start();
  }

  /** Hands an event to the campaign. After the end, a late grant is given back on this thread. */
  void post(CampaignEvent event) {
    List<CampaignAction> late;
    lock.lock();
    try {
      if (!over) {
        inbox.add(event);
        return;
      }
      late = campaign.on(event, now());
    } finally {
      lock.unlock();
    }
    for (CampaignAction action : late) {
      if (action instanceof CampaignAction.SendAbandon abandon) {
        giveBackHere(abandon.attempt());
      }
    }
  }

  CampaignStatus status() {
    lock.lock();
    try {
      return campaign.status(now());
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end, unless called from a thread whose return the end waits for. */
  void awaitDone(long millis) throws InterruptedException {
    Thread current = Thread.currentThread();
    if (current == workThread || listeners.isCurrentThread() || current == thread) {
      return;
    }
    if (done.await(millis, TimeUnit.MILLISECONDS)) {
      listeners.awaitDone(1_000);
    }
  }

  private void drive() {
    subscription = store.subscribe(plan.name(), () -> post(new CampaignEvent.Signalled()));
    try {
      while (!closing) {
        step();
      }
    } finally {
      end();
    }
  }

  private void step() {
    CampaignEvent event = new CampaignEvent.TimePassed();
    try {
      long wait = wakeAt - settings.ticker().nanos();
      CampaignEvent arrived = wait > 0 ? inbox.poll(wait, TimeUnit.NANOSECONDS) : inbox.poll();
      if (arrived != null) {
        event = arrived;
      }
    } catch (InterruptedException e) {
      // Nobody has a reason to interrupt this thread. An election ends by close() alone.
      log.debug("{}: the election's thread was interrupted", plan.name(), e);
    }
    for (CampaignAction action : decide(event)) {
      perform(action);
    }
  }

  private List<CampaignAction> decide(CampaignEvent event) {
    lock.lock();
    try {
      return campaign.on(event, now());
    } finally {
      lock.unlock();
    }
  }

  private void perform(CampaignAction action) {
    if (action instanceof CampaignAction.EndWork end) {
      endWork(end.reason());
    } else if (action instanceof CampaignAction.StartWork start) {
      startWork(start);
    } else if (action instanceof CampaignAction.ExtendWork extend) {
      if (term != null) {
        term.extend(extend.hold());
      }
    } else if (action instanceof CampaignAction.WakeAt wake) {
      wakeAt = wake.nanos();
    } else if (action instanceof CampaignAction.Cancel cancel) {
      calls.cancel(cancel.call());
    } else if (action instanceof CampaignAction.Tell tell) {
      tell(tell.event());
    } else if (action instanceof CampaignAction.Close) {
      closing = true;
    } else {
      send(action);
    }
  }

  private void send(CampaignAction action) {
    if (action instanceof CampaignAction.SendAcquire acquire) {
      ask(
          acquire.call(),
          false,
          () -> store.acquire(plan.name(), plan.owner(), acquire.attempt(), plan.ttl()),
          answer -> new CampaignEvent.AcquireAnswered(acquire.call(), answer));
    } else if (action instanceof CampaignAction.SendRenew renew) {
      ask(
          renew.call(),
          false,
          () -> store.renew(renew.lease(), plan.ttl()),
          answer -> new CampaignEvent.RenewAnswered(renew.call(), answer));
    } else if (action instanceof CampaignAction.SendRelease release) {
      ask(
          release.call(),
          true,
          () -> store.release(release.lease(), release.linger()),
          answer -> new CampaignEvent.ReleaseAnswered(release.call(), answer));
    } else if (action instanceof CampaignAction.SendAbandon abandon) {
      ask(
          abandon.call(),
          true,
          () -> {
            store.abandon(plan.name(), plan.owner(), abandon.attempt());
            return abandon.call();
          },
          CampaignEvent.AbandonAnswered::new);
    }
  }

  private <T> void ask(
      long call,
      boolean givesBack,
      Supplier<T> question,
      Function<? super T, CampaignEvent> event) {
    calls.run(
        call,
        givesBack,
        question,
        answer -> post(event.apply(answer)),
        failure ->
            post(new CampaignEvent.NoAnswer(call, failure, StoreCalls.mayHaveHappened(failure))));
  }

  private void startWork(CampaignAction.StartWork start) {
    ServedTerm served =
        new ServedTerm(
            start.lease(), start.hold(), plan.grace(), settings.ticker(), settings.clock());
    term = served;
    try {
      Thread worker = workThreads.newThread(() -> runWork(served));
      workThread = worker;
      worker.start();
    } catch (OutOfMemoryError e) {
      // No thread could be made. The work failed, as any work may; the election goes on.
      post(new CampaignEvent.WorkReturned(Optional.of(e)));
    }
  }

  private void runWork(ServedTerm served) {
    Optional<Throwable> failure = Optional.empty();
    try {
      work.run(served);
    } catch (InterruptedException e) {
      // At the end of the term this is how work obeys; before, somebody else interrupted it.
      failure = served.isHeld() ? Optional.of(e) : Optional.empty();
    } catch (Throwable e) { // work may throw anything; it must not end the election
      failure = Optional.of(e);
    }
    workThread = null;
    post(new CampaignEvent.WorkReturned(failure));
  }

  private void endWork(EndReason reason) {
    if (term != null) {
      term.end();
      term = null;
    }
    Thread worker = workThread;
    if (worker != null && reason != EndReason.WORK_ENDED && reason != EndReason.WORK_FAILED) {
      worker.interrupt();
    }
  }

  private void tell(ElectionEvent event) {
    boolean droppable =
        event instanceof ElectionEvent.Renewed || event instanceof ElectionEvent.Moved;
    for (ElectionListener listener : settings.listeners()) {
      listeners.call(() -> listener.on(plan.name(), event), droppable);
    }
  }

  private void end() {
    lock.lock();
    try {
      over = true;
    } finally {
      lock.unlock();
    }
    for (CampaignEvent event = inbox.poll(); event != null; event = inbox.poll()) {
      decide(event).forEach(this::send);
    }
    subscription.close();
    calls.close();
    listeners.finish();
    done.countDown();
  }

  private void giveBackHere(String attempt) {
    try {
      store.abandon(plan.name(), plan.owner(), attempt);
    } catch (RuntimeException e) {
      log.debug("{}: a late grant could not be given back and expires", plan.name(), e);
    }
  }

  private Moment now() {
    return Moment.read(settings.ticker(), settings.clock());
  }
}
