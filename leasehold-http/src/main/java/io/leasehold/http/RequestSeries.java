package io.leasehold.http;

/**
 * What requests are counted by.
 *
 * @param method the HTTP method, or {@code _OTHER}
 * @param host the host, or {@code (other hosts)} beyond the meter's limit
 * @param port the port, 0 for other hosts
 * @param api the API, as the meter's classifier named it
 * @param lane the lane
 */
public record RequestSeries(String method, String host, int port, String api, String lane) {

  /** The host as the hourly line shows it: with its port only where that is a peculiar one. */
  String address() {
    return port == 443 || port == 80 || port == 0 ? host : host + ":" + port;
  }
}
