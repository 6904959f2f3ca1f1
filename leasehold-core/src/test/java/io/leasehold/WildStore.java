package io.leasehold;

import io.leasehold.memory.MemoryLeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A memory store on the system's clock whose calls can be made to fail in every way. */
public final class WildStore implements LeaseStore {

  /** What happens around a call. */
  @FunctionalInterface
  public interface Fault {
    <T> T around(String call, Supplier<T> inner);
  }

  public static final Fault NONE =
      new Fault() {
        @Override
        public <T> T around(String call, Supplier<T> inner) {
          return inner.get();
        }
      };

  private final MemoryLeaseStore inner;
  private volatile Fault fault = NONE;
  public final AtomicInteger acquires = new AtomicInteger();
  public final AtomicInteger renewals = new AtomicInteger();
  public final AtomicInteger releases = new AtomicInteger();
  public final AtomicInteger abandons = new AtomicInteger();

  public WildStore() {
    this(new MemoryLeaseStore(InstantSource.system()));
  }

  public WildStore(MemoryLeaseStore inner) {
    this.inner = inner;
  }

  public MemoryLeaseStore inner() {
    return inner;
  }

  public void faulty(Fault value) {
    fault = value;
  }

  /** Fails the named calls, or all for "*", before they are applied. */
  public void failing(String calls, Supplier<? extends Throwable> thrown) {
    faulty(
        new Fault() {
          @Override
          public <T> T around(String call, Supplier<T> inner) {
            if (calls.equals("*") || calls.contains(call)) {
              sneakyThrow(thrown.get());
            }
            return inner.get();
          }
        });
  }

  /** The named calls never return, whatever interrupts them, until the latch opens. */
  public void hanging(String calls, CountDownLatch until) {
    faulty(
        new Fault() {
          @Override
          public <T> T around(String call, Supplier<T> inner) {
            if (calls.equals("*") || calls.contains(call)) {
              awaitUninterruptibly(until);
            }
            return inner.get();
          }
        });
  }

  public static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException ignored) {
        // as a driver does that ignores the interrupt
      }
    }
  }

  @SuppressWarnings("unchecked")
  public static <E extends Throwable> void sneakyThrow(Throwable thrown) throws E {
    throw (E) thrown;
  }

  @Override
  public AcquireAnswer acquire(LeaseName name, String owner, String attempt, Duration ttl) {
    acquires.incrementAndGet();
    return fault.around("acquire", () -> inner.acquire(name, owner, attempt, ttl));
  }

  @Override
  public RenewAnswer renew(Lease lease, Duration ttl) {
    renewals.incrementAndGet();
    return fault.around("renew", () -> inner.renew(lease, ttl));
  }

  @Override
  public ReleaseAnswer release(Lease lease, Duration linger) {
    releases.incrementAndGet();
    return fault.around("release", () -> inner.release(lease, linger));
  }

  @Override
  public void abandon(LeaseName name, String owner, String attempt) {
    abandons.incrementAndGet();
    fault.around(
        "abandon",
        () -> {
          inner.abandon(name, owner, attempt);
          return attempt;
        });
  }

  @Override
  public List<RenewAnswer> renewAll(List<Lease> leases, Duration ttl) {
    renewals.incrementAndGet();
    return fault.around("renew", () -> inner.renewAll(leases, ttl));
  }

  @Override
  public Optional<LeaseView> read(LeaseName name) {
    return inner.read(name);
  }

  @Override
  public LeasePage inspect(String prefix, Page page) {
    return inner.inspect(prefix, page);
  }

  @Override
  public long reclaim(Duration endedFor) {
    return inner.reclaim(endedFor);
  }

  @Override
  public Subscription subscribe(LeaseName name, Runnable onRelease) {
    return inner.subscribe(name, onRelease);
  }

  @Override
  public void close() {}
}
