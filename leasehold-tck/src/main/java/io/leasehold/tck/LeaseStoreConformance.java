package io.leasehold.tck;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/**
 * The rules that every {@link io.leasehold.LeaseStore} keeps. A store author extends this class
 * with one that opens the store, and runs it like any JUnit 5 test:
 *
 * <pre>{@code
 * final class MyStoreConformanceTest extends LeaseStoreConformance {
 *   @Override
 *   public LeaseStore openStore() {
 *     return MyStore.open(url);
 *   }
 * }
 * }</pre>
 *
 * <p>Each rule has an id, in front of its test's display name; SPEC.md says under that id what the
 * rule demands, why, and how a store usually breaks it. What a store cannot do it declares in
 * {@link #lacks()}; those rules are reported as skipped, with the reason.
 */
@DisplayName("lease store")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
public abstract class LeaseStoreConformance implements LeaseStoreFixture {

  /** For subclasses. */
  protected LeaseStoreConformance() {}

  @Nested
  @DisplayName("acquire")
  class Acquire extends AcquireRules {
    Acquire() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("tokens")
  class Tokens extends TokenRules {
    Tokens() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("expiry")
  class Expiry extends ExpiryRules {
    Expiry() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("renew")
  class Renew extends RenewRules {
    Renew() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("release, linger and abandon")
  class Release extends ReleaseRules {
    Release() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("names and arguments")
  class Names extends NameRules {
    Names() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("inspect and reclaim")
  class Operators extends OperatorRules {
    Operators() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("many leases in one call")
  class Batches extends BatchRules {
    Batches() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("many candidates, one truth")
  class Shared extends SharedRules {
    Shared() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("signals, interrupts, closing")
  class Life extends LifeRules {
    Life() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("calls that meet")
  class Meetings extends MeetingRules {
    Meetings() {
      super(LeaseStoreConformance.this);
    }
  }

  @Nested
  @DisplayName("subscriptions")
  class Subscriptions extends SubscriptionRules {
    Subscriptions() {
      super(LeaseStoreConformance.this);
    }
  }
}
