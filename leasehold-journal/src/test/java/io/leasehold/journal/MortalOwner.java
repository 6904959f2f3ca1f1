package io.leasehold.journal;

import io.leasehold.journal.sql.JournalTables;
import io.leasehold.journal.sql.SqlJournal;
import io.leasehold.keeper.LeaseKeeper;
import io.leasehold.redis.RedisLeaseStore;
import io.lettuce.core.RedisURI;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A process that owns an instance and dies at the step it is told: leases in Redis, journal in
 * PostgreSQL. It takes no leave: {@code halt} runs no hook and releases nothing.
 */
final class MortalOwner {

  static final Duration TTL = Duration.ofMillis(1_500);
  static final JournalTables TABLES = new JournalTables("mortal");

  private MortalOwner() {}

  public static void main(String[] arguments) {
    int redisPort = Integer.parseInt(arguments[0]);
    int postgresPort = Integer.parseInt(arguments[1]);
    InstanceId instance = InstanceId.of(arguments[2]);
    String death = arguments[3];
    Journal journal = mortal(new SqlJournal(postgres(postgresPort), TABLES), death);
    RedisLeaseStore leases = RedisLeaseStore.open(RedisURI.create("127.0.0.1", redisPort));
    LeaseKeeper keeper = LeaseKeeper.builder(leases).ttl(TTL).owner("mortal-" + death).build();
    if (Ownership.start(keeper, journal, NewInstance.of(instance, "order"))
        instanceof TakeAnswer.Owned owned) {
      Ownership mine = owned.ownership();
      for (int step = 0; step < 2; step++) {
        mine.write(
            Entry.of(StepKey.of(instance, step), "step")
                .snapshot(Payload.of("after " + step))
                .event(new Event("done", "k", Payload.of("" + step)))
                .build());
      }
      mine.complete(Completion.of(Outcome.COMPLETED));
      mine.close();
    }
    Runtime.getRuntime().halt(0);
  }

  static PGSimpleDataSource postgres(int port) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setPortNumbers(new int[] {port});
    source.setUser("postgres");
    source.setDatabaseName("postgres");
    return source;
  }

  /** Dies before or after a call of the journal, such as {@code before fence}. */
  private static Journal mortal(Journal journal, String death) {
    return (Journal)
        Proxy.newProxyInstance(
            Journal.class.getClassLoader(),
            new Class<?>[] {Journal.class},
            (proxy, method, values) -> {
              dieIf(death.equals("before " + method.getName()));
              Object answer = call(journal, method, values);
              dieIf(death.equals("after " + method.getName()));
              return answer;
            });
  }

  private static Object call(Journal journal, Method method, Object[] values) throws Exception {
    return method.invoke(journal, values);
  }

  private static void dieIf(boolean now) {
    if (now) {
      Runtime.getRuntime().halt(9);
    }
  }
}
