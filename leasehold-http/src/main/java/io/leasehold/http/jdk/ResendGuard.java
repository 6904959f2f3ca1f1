package io.leasehold.http.jdk;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets a request be sent once. The JDK's client sends a GET or HEAD again when its pooled
 * connection is dropped before an answer, and has no switch against it. But each time it writes a
 * request's head it first asks the body for its length: the second question is refused here, before
 * anything is sent. A publisher is needed for that even where there is no body.
 */
final class ResendGuard implements BodyPublisher {

  private final BodyPublisher body;
  private final AtomicBoolean sent = new AtomicBoolean();

  private ResendGuard(BodyPublisher body) {
    this.body = body;
  }

  /** What a resend fails with; found again among the causes of the client's exception. */
  private static final class ResendRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ResendRefusedException() {
      super("the connection was dropped; the client's hidden resend is turned off");
    }
  }

  static HttpRequest guard(HttpRequest request) {
    BodyPublisher body = request.bodyPublisher().orElseGet(BodyPublishers::noBody);
    return HttpRequest.newBuilder(request, (name, value) -> true)
        .version(java.net.http.HttpClient.Version.HTTP_1_1)
        .method(request.method(), new ResendGuard(body))
        .build();
  }

  static boolean refusedIn(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 16; depth++) {
      if (cause instanceof ResendRefusedException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** What the caller is told when the second, visible attempt was dropped too. */
  static IOException dropped(Throwable cause) {
    return new IOException("the server dropped the connection without an answer, twice", cause);
  }

  @Override
  public long contentLength() {
    if (!sent.compareAndSet(false, true)) {
      throw new ResendRefusedException();
    }
    return body.contentLength();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    body.subscribe(subscriber);
  }
}
