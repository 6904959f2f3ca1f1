package io.leasehold.http.jdk;

import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The chain of attempts and hops behind one {@code sendAsync}; cancelling it cancels the hop. */
final class AsyncExchange<T> extends CompletableFuture<HttpResponse<T>> {

  private final HttpClient plain;
  private volatile CompletableFuture<?> running = CompletableFuture.completedFuture(null);

  AsyncExchange(HttpClient plain) {
    this.plain = plain;
  }

  void start(Hop<T> hop) {
    attempt(hop, true);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    running.cancel(mayInterruptIfRunning);
    return cancelled;
  }

  // What becomes of the attempt is told to this exchange; its future has nothing to add.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void attempt(Hop<T> hop, boolean first) {
    if (isDone()) {
      return; // cancelled between two hops
    }
    try {
      hop.sent();
      CompletableFuture<HttpResponse<T>> attempt = plain.sendAsync(hop.guarded(), hop.handler());
      running = attempt;
      attempt.whenComplete((response, failure) -> attempted(hop, first, response, failure));
      if (isCancelled()) {
        attempt.cancel(true);
      }
    } catch (RuntimeException e) {
      completeExceptionally(e);
    }
  }

  private void attempted(
      Hop<T> hop, boolean first, @Nullable HttpResponse<T> response, @Nullable Throwable failure) {
    try {
      if (response != null) {
        hop.answered(response);
        Optional<Hop<T>> next = hop.after(response);
        next.ifPresentOrElse(n -> attempt(n, true), () -> complete(hop.last(response)));
      } else if (failure != null) {
        failed(hop, first, failure);
      }
    } catch (RuntimeException e) {
      completeExceptionally(e);
    }
  }

  private void failed(Hop<T> hop, boolean first, Throwable failure) {
    hop.failed(failure);
    boolean dropped = ResendGuard.refusedIn(failure);
    if (dropped && first) {
      attempt(hop, false);
    } else if (dropped) {
      completeExceptionally(ResendGuard.dropped(failure));
    } else {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      completeExceptionally(cause == null ? failure : cause);
    }
  }
}
