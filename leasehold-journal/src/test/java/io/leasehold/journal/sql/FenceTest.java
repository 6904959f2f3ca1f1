package io.leasehold.journal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.FencingToken;
import io.leasehold.journal.FencedOutException;
import io.leasehold.journal.servers.Databases;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The fences for an application's own transactions, on each database. */
class FenceTest {

  private static final FencingToken SEVEN = new FencingToken(7);
  private static final FencingToken EIGHT = new FencingToken(8);

  @Nested
  class OnPostgres extends Rules {
    OnPostgres() {
      super(Databases.postgres(), true);
    }
  }

  @Nested
  class OnMariaDb extends Rules {
    OnMariaDb() {
      super(Databases.mariaDb(), true);
    }
  }

  @Nested
  class OnSqlite extends Rules {
    OnSqlite() {
      super(Databases.sqlite(), false);
    }
  }

  abstract static class Rules {
    private final DataSource pool;
    private final boolean locksRows;

    Rules(DataSource pool, boolean locksRows) {
      this.pool = pool;
      this.locksRows = locksRows;
    }

    @BeforeEach
    void tables() throws SQLException {
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        Fence.in(Fence.DEFAULT_TABLE).createTableIfMissing(connection);
        statement.execute("DROP TABLE IF EXISTS account");
        statement.execute(
            "CREATE TABLE account (id BIGINT PRIMARY KEY, balance BIGINT NOT NULL,"
                + " fence BIGINT NOT NULL DEFAULT 0)");
        statement.execute("INSERT INTO account (id, balance) VALUES (42, 100)");
        statement.execute("DELETE FROM " + Fence.DEFAULT_TABLE);
      }
    }

    /** The worked example: what a paused holder does when it wakes. */
    @Test
    void aPausedHolderWakesAndItsWriteIsRefused() throws SQLException {
      deposit(SEVEN, 1);
      deposit(EIGHT, 10);
      assertThatThrownBy(() -> deposit(SEVEN, 100))
          .isInstanceOfSatisfying(
              FencedOutException.class,
              refused -> {
                assertThat(refused.resource()).isEqualTo("account/42");
                assertThat(refused.presented()).isEqualTo(SEVEN);
                assertThat(refused.fence()).isEqualTo(EIGHT);
              })
          .hasMessageContaining("account/42")
          .hasMessageContaining("token 7")
          .hasMessageContaining("token 8");
      assertThat(balance()).isEqualTo(111);
      deposit(EIGHT, 1000);
      assertThat(balance()).isEqualTo(1111);
    }

    @Test
    void aTransactionThatIsRolledBackTakesItsAdmissionAlong() throws SQLException {
      deposit(SEVEN, 1);
      try (Connection connection = transaction()) {
        Fence.admit(connection, "account/42", EIGHT);
        connection.rollback();
      }
      deposit(SEVEN, 1);
      assertThat(balance()).isEqualTo(102);
    }

    @Test
    void resourcesAreFencedIndependentlyAndByteForByte() throws SQLException {
      try (Connection connection = transaction()) {
        Fence.admit(connection, "Job", EIGHT);
        Fence.admit(connection, "job", SEVEN);
        Fence.admit(connection, "jób", SEVEN);
        connection.commit();
      }
    }

    @Test
    void aConnectionThatCommitsByItselfIsRefused() throws SQLException {
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(true);
        assertThatThrownBy(() -> Fence.admit(connection, "account/42", SEVEN))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("setAutoCommit(false)");
      }
    }

    @Test
    void sevenIsRefusedWhenEightWasAdmittedButIsNotCommittedYet() throws Exception {
      Race race = new Race(EIGHT, SEVEN);
      assertThat(race.secondWaited()).isEqualTo(locksRows);
      race.commitFirst();
      assertThat(race.secondCommitted()).isFalse();
      assertThat(balance()).isEqualTo(108);
    }

    @Test
    void eightWaitsUntilSevenHasCommitted() throws Exception {
      Race race = new Race(SEVEN, EIGHT);
      race.commitFirst();
      // SQLite refuses the second writer at once instead of letting it wait in the transaction.
      assertThat(race.secondCommitted()).isEqualTo(locksRows);
      assertThat(balance()).isEqualTo(locksRows ? 115 : 107);
      assertThatThrownBy(
              () -> {
                deposit(EIGHT, 0);
                deposit(SEVEN, 1);
              })
          .isInstanceOf(FencedOutException.class);
    }

    @Test
    void whateverTheOrderSevenNeverCommitsAfterEightWasAdmitted() throws Exception {
      for (int round = 0; round < 30; round++) {
        String resource = "race/" + round;
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Boolean> seven = racing(resource, SEVEN, go);
        CompletableFuture<Boolean> eight = racing(resource, EIGHT, go);
        go.countDown();
        boolean sevenCommitted = seven.get(20, TimeUnit.SECONDS);
        boolean eightCommitted = eight.get(20, TimeUnit.SECONDS);
        assertThat(sevenCommitted || eightCommitted).isTrue();
        Optional<Long> fence = fence(resource);
        assertThat(fence).hasValue(eightCommitted ? 8L : 7L);
        // The balance is last written by the winner: 7 never overwrites 8.
        if (eightCommitted) {
          assertThat(balance()).isEqualTo(8);
        }
      }
    }

    @Test
    void aRowOfTheCallersOwnTableIsFencedByItsOwnColumn() throws SQLException {
      RowFence accounts = RowFence.of("account", "id", "fence");
      try (Connection connection = transaction()) {
        accounts.admit(connection, 42L, EIGHT);
        accounts.admit(connection, 42L, EIGHT);
        assertThatThrownBy(() -> accounts.admit(connection, 42L, SEVEN))
            .isInstanceOf(FencedOutException.class)
            .hasMessageContaining("account 42");
        assertThatThrownBy(() -> accounts.admit(connection, 43L, SEVEN))
            .isInstanceOf(NoSuchElementException.class)
            .hasMessageContaining("43");
        connection.commit();
      }
    }

    @Test
    void aCallersOwnUpdateMayCarryTheCondition() throws SQLException {
      RowFence accounts = RowFence.of("account", "id", "fence");
      try (Connection connection = transaction()) {
        accounts.confirm(connection, ownUpdate(connection, EIGHT), 42L, EIGHT);
        assertThatThrownBy(
                () -> accounts.confirm(connection, ownUpdate(connection, SEVEN), 42L, SEVEN))
            .isInstanceOf(FencedOutException.class);
        connection.commit();
      }
      assertThat(balance()).isEqualTo(8);
    }

    private static int ownUpdate(Connection connection, FencingToken token) throws SQLException {
      try (var statement =
          connection.prepareStatement(
              "UPDATE account SET balance = ?, fence = ? WHERE id = 42 AND fence <= ?")) {
        statement.setLong(1, token.value());
        statement.setLong(2, token.value());
        statement.setLong(3, token.value());
        return statement.executeUpdate();
      }
    }

    /** Two transactions; the second starts when the first has been admitted. */
    private final class Race {
      private final Connection first;
      private final CompletableFuture<Boolean> second;
      private final boolean waited;

      Race(FencingToken firstToken, FencingToken secondToken) throws Exception {
        first = transaction();
        Fence.admit(first, "account/42", firstToken);
        add(first, firstToken.value());
        second =
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    deposit(secondToken, secondToken.value());
                    return true;
                  } catch (SQLException | FencedOutException e) {
                    return false;
                  }
                });
        boolean answered = true;
        try {
          // Long enough to be refused at once, if that is what happens.
          second.get(locksRows ? 500 : 20_000, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          answered = false;
        }
        waited = !answered;
      }

      boolean secondWaited() {
        return waited;
      }

      void commitFirst() throws SQLException {
        first.commit();
        first.close();
      }

      boolean secondCommitted() throws Exception {
        return second.get(20, TimeUnit.SECONDS);
      }
    }

    private CompletableFuture<Boolean> racing(
        String resource, FencingToken token, CountDownLatch go) {
      return CompletableFuture.supplyAsync(
          () -> {
            try (Connection connection = transaction()) {
              go.await();
              Fence.admit(connection, resource, token);
              set(connection, token.value());
              connection.commit();
              return true;
            } catch (SQLException | FencedOutException e) {
              return false;
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
    }

    private void deposit(FencingToken token, long amount) throws SQLException {
      try (Connection connection = transaction()) {
        try {
          Fence.admit(connection, "account/42", token);
          add(connection, amount);
          connection.commit();
        } catch (SQLException | FencedOutException e) {
          connection.rollback();
          throw e;
        }
      }
    }

    private Connection transaction() throws SQLException {
      Connection connection = pool.getConnection();
      connection.setAutoCommit(false);
      return connection;
    }

    private static void add(Connection connection, long amount) throws SQLException {
      execute(connection, "UPDATE account SET balance = balance + " + amount + " WHERE id = 42");
    }

    private static void set(Connection connection, long amount) throws SQLException {
      execute(connection, "UPDATE account SET balance = " + amount + " WHERE id = 42");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.executeUpdate(sql);
      }
    }

    private long balance() throws SQLException {
      return number("SELECT balance FROM account WHERE id = 42").orElseThrow();
    }

    private Optional<Long> fence(String resource) throws SQLException {
      return number(
          "SELECT token FROM " + Fence.DEFAULT_TABLE + " WHERE resource = '" + resource + "'");
    }

    private Optional<Long> number(String sql) throws SQLException {
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement();
          var row = statement.executeQuery(sql)) {
        return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
      }
    }
  }
}
