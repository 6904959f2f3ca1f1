package io.leasehold.http;

/**
 * Which API of a host a request is for; the name stands in the hourly line and in the metrics.
 *
 * <pre>{@code
 * ApiClassifier byVersion = (host, path) -> path.startsWith("/api/v4/") ? "v4" : "other";
 * }</pre>
 *
 * <p>Called once per request on the thread that sends it: it has to be fast, thread-safe, and has
 * to answer from a small, fixed set of names.
 */
@FunctionalInterface
public interface ApiClassifier {

  /** {@code graphql} for the paths {@code /graphql} and {@code /api/graphql}, else {@code rest}. */
  ApiClassifier REST_OR_GRAPHQL = (host, path) -> isGraphql(path) ? "graphql" : "rest";

  /**
   * The API a request is for.
   *
   * @param host the host in lower case, without the port
   * @param path the path as it is sent, without the query; at least {@code /}
   * @return the name of the API: visible characters, no space or comma
   */
  String api(String host, String path);

  private static boolean isGraphql(String path) {
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '/') {
      end--;
    }
    return switch (end) {
      case 8 -> path.startsWith("/graphql");
      case 12 -> path.startsWith("/api/graphql");
      default -> false;
    };
  }
}
