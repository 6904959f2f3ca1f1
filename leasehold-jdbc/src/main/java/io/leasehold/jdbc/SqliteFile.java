package io.leasehold.jdbc;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;

/**
 * A SQLite file, shared by any number of processes of one host. One connection serves the store's
 * calls in turn: SQLite has one writer at a time anyway, and a call takes less time than opening
 * another connection would.
 *
 * <p><b>Durability.</b> {@code synchronous=FULL}: a commit is on the disk before it is answered.
 * With {@code NORMAL} a power cut takes back the last commits, so after it the file would grant the
 * same token a second time, and whatever remembers that token as its fence is on another machine
 * and still up. The price is one {@code fsync} per grant, renewal and release.
 */
final class SqliteFile implements Connections {

  private final Path file;
  private final Duration busyTimeout;
  private final ReentrantLock inUse = new ReentrantLock();
  private @Nullable Connection connection;
  private boolean closed;

  SqliteFile(Path file, Duration busyTimeout) {
    this.file = file.toAbsolutePath();
    this.busyTimeout = busyTimeout;
    if (this.file.toString().indexOf('?') >= 0) {
      throw new IllegalArgumentException(
          "the path " + file + " has a '?', which SQLite's driver takes for the start of options");
    }
  }

  @Override
  public Connection take(Duration patience) throws SQLException {
    try {
      if (!inUse.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new SQLException("other calls of this process kept the connection for " + patience);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while waiting for the connection", e);
    }
    try {
      if (closed) {
        throw new SQLException("the store is closed");
      }
      if (connection == null) {
        connection = open();
      }
      return connection;
    } catch (SQLException | RuntimeException e) {
      inUse.unlock();
      throw e;
    }
  }

  @Override
  public void giveBack(Connection given) {
    inUse.unlock();
  }

  /** Another connection to the same file, for a thread of its own. */
  Connection open() throws SQLException {
    makePrivate();
    Properties properties = new Properties();
    // First of all, so that the statements below wait too.
    properties.setProperty("busy_timeout", Long.toString(busyTimeout.toMillis()));
    properties.setProperty("journal_mode", "WAL");
    properties.setProperty("synchronous", "FULL");
    Connection opened = JDBC.createConnection(JDBC.PREFIX + file, properties);
    try (Statement statement = opened.createStatement()) {
      // Where fsync does not reach the disk by itself (macOS); elsewhere it changes nothing.
      statement.execute("PRAGMA fullfsync = 1");
    } catch (SQLException e) {
      opened.close();
      throw e;
    }
    return opened;
  }

  /** What the file says is for its owner: names and owners of leases are nobody else's concern. */
  private void makePrivate() throws SQLException {
    try {
      Path directory = file.getParent();
      if (directory != null && !Files.isDirectory(directory)) {
        Files.createDirectories(directory, ownerOnly("rwx------"));
      }
      if (!Files.exists(file)) {
        Files.createFile(file, ownerOnly("rw-------"));
      }
    } catch (FileAlreadyExistsException e) {
      // Another process was as quick.
      return;
    } catch (IOException e) {
      throw new SQLException("cannot create " + file + ": " + e, e);
    }
  }

  private static FileAttribute<?>[] ownerOnly(String permissions) {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  /** Waits for a call that is under way, but not for ever: a busy file is closed by the exit. */
  @Override
  public void close() {
    boolean locked = false;
    try {
      locked = inUse.tryLock(2, TimeUnit.SECONDS);
      if (locked) {
        closed = true;
        if (connection != null) {
          connection.close();
          connection = null;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      // Nothing is lost: what was answered is on the disk.
      connection = null;
    } finally {
      if (locked) {
        inUse.unlock();
      }
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
