package io.leasehold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaneTest {

  private final ScheduledExecutorService plain = Executors.newScheduledThreadPool(1);
  private final ScheduledExecutorService wrapped = Lane.wrap(plain);

  @AfterEach
  void stop() {
    wrapped.shutdownNow();
    assertThat(plain.isShutdown()).isTrue();
  }

  @Test
  void isDefaultWhereNobodyNamedOne() {
    assertThat(Lane.current()).isEqualTo("default");
  }

  @Test
  void nestsAndIsRestoredHoweverTheWorkEnds() {
    Lane.run(
        "outer",
        () -> {
          assertThat(Lane.<String, RuntimeException>call("inner", Lane::current))
              .isEqualTo("inner");
          assertThatThrownBy(
                  () ->
                      Lane.call(
                          "failing",
                          () -> {
                            throw new IOException("broken");
                          }))
              .isInstanceOf(IOException.class);
          assertThat(Lane.current()).isEqualTo("outer");
        });
    assertThat(Lane.current()).isEqualTo("default");
  }

  @Test
  void doesNotLeakIntoAnExecutorThatIsNotWrapped() throws Exception {
    String lane = Lane.<String, Exception>call("mine", () -> plain.submit(Lane::current).get());
    assertThat(lane).isEqualTo("default");
  }

  @Test
  void followsTheWorkThroughEveryWayIntoAWrappedExecutor() throws Exception {
    Callable<String> lane = Lane::current;
    ExecutorService executor = wrapped;
    Lane.<Boolean, Exception>call(
        "mine",
        () -> {
          assertThat(executor.submit(lane).get()).isEqualTo("mine");
          assertThat(executor.invokeAny(List.of(lane))).isEqualTo("mine");
          assertThat(executor.invokeAll(List.of(lane)).get(0).get()).isEqualTo("mine");
          assertThat(wrapped.schedule(lane, 1, TimeUnit.MILLISECONDS).get()).isEqualTo("mine");
          assertThat(CompletableFuture.supplyAsync(Lane::current, executor).join())
              .isEqualTo("mine");
          CompletableFuture<String> repeated = new CompletableFuture<>();
          wrapped
              .scheduleAtFixedRate(
                  () -> repeated.complete(Lane.current()), 0, 5, TimeUnit.MILLISECONDS)
              .isDone();
          assertThat(repeated.get(10, TimeUnit.SECONDS)).isEqualTo("mine");
          return true;
        });
    assertThat(plain.submit(lane).get()).as("the pool's thread afterwards").isEqualTo("default");
  }

  @Test
  void aTaskThatFailsInAWrappedExecutorLeavesNoLaneBehind() throws Exception {
    CompletableFuture<Void> failing =
        Lane.<CompletableFuture<Void>, RuntimeException>call(
            "mine",
            () ->
                CompletableFuture.runAsync(
                    () -> {
                      throw new IllegalStateException("broken");
                    },
                    wrapped));
    assertThatThrownBy(failing::join).isInstanceOf(CompletionException.class);
    Callable<String> lane = Lane::current;
    assertThat(plain.submit(lane).get()).isEqualTo("default");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "two words", "a,b", "tab\t", "ünicode"})
  void whoseNameWouldBlurTheLogLineIsRefused(String name) {
    assertThatThrownBy(() -> Lane.run(name, () -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("visible ASCII");
  }

  @Test
  void mayHave64CharactersAndNotOneMore() {
    Lane.run("x".repeat(64), () -> assertThat(Lane.current()).hasSize(64));
    assertThatThrownBy(() -> Lane.run("x".repeat(65), () -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
