package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Wrapper;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What only PostgreSQL's own driver can say. Touched only where that driver is in use. */
final class PostgresDriver {

  private PostgresDriver() {}

  static boolean isPresent(Connection connection) throws SQLException {
    return isWrapper(connection, "org.postgresql.core.BaseConnection");
  }

  static boolean isPresent(PreparedStatement statement) throws SQLException {
    return isWrapper(statement, "org.postgresql.PGStatement");
  }

  private static boolean isWrapper(Wrapper wrapper, String type) throws SQLException {
    try {
      return wrapper.isWrapperFor(Class.forName(type));
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** The process that the server said it serves this connection with. */
  static int backend(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getBackendPID();
  }

  static boolean inTransaction(Connection connection) throws SQLException {
    return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
  }

  /** Keeps a statement from becoming a named one, which a pooler may send to another server. */
  static void neverName(PreparedStatement statement) throws SQLException {
    statement.unwrap(PGStatement.class).setPrepareThreshold(0);
  }

  /** Whether the server refused the statement and the session goes on. */
  static boolean isError(SQLException error) {
    if (!(error instanceof PSQLException answer)) {
      return false;
    }
    ServerErrorMessage message = answer.getServerErrorMessage();
    return message != null && "ERROR".equals(message.getSeverity());
  }
}
