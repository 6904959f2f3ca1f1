package io.leasehold;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;

/**
 * Names one process as the owner of leases: its host, and a random suffix that sets it apart from
 * others on the same host and from its own former lives.
 */
public final class Owner {

  private static final int MAX_HOST_CHARS = 100;

  private Owner() {}

  /**
   * A new owner name, such as {@code web-7f9c-3fa94b0c12de}. Call it once per process and keep it.
   *
   * @return the name
   */
  public static String random() {
    byte[] suffix = new byte[6];
    new SecureRandom().nextBytes(suffix);
    return host(System.getenv()) + "-" + HexFormat.of().formatHex(suffix);
  }

  static String host(Map<String, String> environment) {
    String host = environment.getOrDefault("HOSTNAME", "");
    if (host.isBlank()) {
      try {
        host = InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException e) {
        host = "host";
      }
    }
    String legal = host.replaceAll("[^A-Za-z0-9._-]", "");
    if (legal.isEmpty()) {
      return "host";
    }
    return legal.substring(0, Math.min(legal.length(), MAX_HOST_CHARS));
  }
}
