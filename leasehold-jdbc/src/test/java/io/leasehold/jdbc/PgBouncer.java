package io.leasehold.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Debian's PgBouncer, in transaction mode, before a PostgreSQL server. */
final class PgBouncer extends ServerProcess {

  private final Path program;

  PgBouncer(PostgresServer server) {
    super("pgb");
    program =
        List.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer").stream()
            .map(Path::of)
            .filter(Files::isExecutable)
            .findFirst()
            .orElseThrow(() -> absent("pgbouncer is not installed"));
    try {
      Files.writeString(
          directory.resolve("pgbouncer.ini"),
          """
          [databases]
          postgres = host=127.0.0.1 port=%d dbname=postgres user=postgres
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = %d
          unix_socket_dir =
          auth_type = any
          pool_mode = transaction
          max_client_conn = 200
          default_pool_size = 4
          ignore_startup_parameters = extra_float_digits
          """
              .formatted(server.port, port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  List<String> command() {
    return List.of(program.toString(), directory.resolve("pgbouncer.ini").toString());
  }

  @Override
  String url() {
    return PostgresServer.url(port);
  }

  @Override
  String cleanStop() {
    return "INT";
  }
}
