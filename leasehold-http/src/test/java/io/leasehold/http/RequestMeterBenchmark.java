package io.leasehold.http;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** What counting costs a request; the bar is 1 µs. Run {@link #main}. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RequestMeterBenchmark {

  private final RequestMeter meter = RequestMeter.builder("bench").build();
  private final String reset = Long.toString(System.currentTimeMillis() / 1_000 + 3_600);

  private static OutgoingRequest request() {
    return new OutgoingRequest(
        "GET", "api.github.com", 443, "/repos/octo/hello/pulls/1347", Lane.current());
  }

  /** The part that is on the way of a request. */
  @Benchmark
  public void sent() {
    meter.sent(request());
  }

  /** The same from more threads than there are cores. */
  @Benchmark
  @Threads(8)
  public void sentByEightThreads() {
    meter.sent(request());
  }

  /** Request and answer of a host that tells of no limit. */
  @Benchmark
  public void sentAndAnswered() {
    OutgoingRequest request = request();
    meter.sent(request);
    meter.answered(request, 200, name -> Optional.empty(), Optional.of("Bearer x"));
  }

  /** Request and answer with a rate limit and a credential. */
  @Benchmark
  public void sentAndAnsweredWithALimit() {
    OutgoingRequest request = request();
    meter.sent(request);
    meter.answered(
        request, 200, this::header, Optional.of("Bearer ghs_0123456789abcdef0123456789"));
  }

  private Optional<String> header(String name) {
    return switch (name) {
      case "x-ratelimit-limit" -> Optional.of("5000");
      case "x-ratelimit-remaining" -> Optional.of("4321");
      case "x-ratelimit-reset" -> Optional.of(reset);
      case "x-ratelimit-resource" -> Optional.of("core");
      default -> Optional.empty();
    };
  }

  /**
   * Runs the benchmark.
   *
   * @param args none
   */
  public static void main(String[] args) throws RunnerException {
    new Runner(new OptionsBuilder().include(RequestMeterBenchmark.class.getSimpleName()).build())
        .run();
  }
}
