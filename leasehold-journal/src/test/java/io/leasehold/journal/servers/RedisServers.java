package io.leasehold.journal.servers;

import redis.embedded.RedisServer;

/** Redis from the artifact of embedded-redis. */
public final class RedisServers {

  private static final Server<RedisServer> REDIS =
      new Server<>(
          "Redis",
          () -> {
            int port;
            try (var socket =
                new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
              port = socket.getLocalPort();
            }
            RedisServer server =
                RedisServer.builder().port(port).bind("127.0.0.1").setting("save \"\"").build();
            server.start();
            Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
            return server;
          });

  private RedisServers() {}

  /** The port of a Redis without a password. */
  public static int port() {
    return REDIS.get().ports().get(0);
  }
}
