package io.leasehold.http.jdk;

import java.net.URI;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Where a redirect leads. A pure function of the request and the answer's status and location, so
 * that it can be asked twice: before the body is read (a redirect's body is thrown away) and after.
 */
final class Redirects {

  /** As many as the JDK's own client follows. */
  static final int MAX_HOPS = 5;

  private static final Set<String> CREDENTIALS =
      Set.of("authorization", "cookie", "proxy-authorization");

  private static final Set<String> ABOUT_THE_BODY =
      Set.of("content-type", "content-encoding", "content-language", "content-location");

  private Redirects() {}

  static Optional<HttpRequest> next(
      Redirect policy, HttpRequest request, int status, Optional<String> location) {
    if (policy == Redirect.NEVER || !isRedirect(status) || location.isEmpty()) {
      return Optional.empty();
    }
    return target(request.uri(), location.get())
        .filter(target -> allowed(policy, request.uri(), target))
        .map(target -> follow(request, status, target));
  }

  private static boolean isRedirect(int status) {
    return switch (status) {
      case 301, 302, 303, 307, 308 -> true;
      default -> false;
    };
  }

  private static Optional<URI> target(URI from, String location) {
    try {
      URI target = from.resolve(location);
      boolean http =
          "http".equalsIgnoreCase(target.getScheme())
              || "https".equalsIgnoreCase(target.getScheme());
      return http && target.getHost() != null ? Optional.of(target) : Optional.empty();
    } catch (IllegalArgumentException e) {
      // Not an address: the caller gets the answer as it is.
      return Optional.empty();
    }
  }

  private static boolean allowed(Redirect policy, URI from, URI to) {
    return policy == Redirect.ALWAYS
        || !"https".equalsIgnoreCase(from.getScheme())
        || "https".equalsIgnoreCase(to.getScheme());
  }

  private static HttpRequest follow(HttpRequest request, int status, URI target) {
    boolean asGet = becomesGet(request.method(), status);
    boolean elsewhere = !sameOrigin(request.uri(), target);
    HttpRequest.Builder next =
        HttpRequest.newBuilder(
                request,
                (name, value) -> {
                  String lower = name.toLowerCase(Locale.ROOT);
                  return !(elsewhere && CREDENTIALS.contains(lower))
                      && !(asGet && ABOUT_THE_BODY.contains(lower));
                })
            .uri(target);
    if (asGet) {
      next.GET().expectContinue(false);
    }
    return next.build();
  }

  /** 303 always asks for another resource; 301 and 302 turn a POST into a GET, as browsers do. */
  private static boolean becomesGet(String method, int status) {
    return switch (status) {
      case 303 -> !method.equals("HEAD") && !method.equals("GET");
      case 301, 302 -> method.equals("POST");
      default -> false;
    };
  }

  private static boolean sameOrigin(URI a, URI b) {
    return a.getScheme().equalsIgnoreCase(b.getScheme())
        && a.getHost().equalsIgnoreCase(b.getHost())
        && port(a) == port(b);
  }

  private static int port(URI uri) {
    return uri.getPort() >= 0 ? uri.getPort() : "http".equalsIgnoreCase(uri.getScheme()) ? 80 : 443;
  }
}
