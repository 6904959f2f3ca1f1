package io.leasehold.http;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows a meter's counts in a Micrometer registry. Needs {@code micrometer-core}, which this module
 * does not bring along.
 *
 * <pre>{@code
 * new RequestMeterMetrics(meter).bindTo(registry);
 * }</pre>
 *
 * <p>Counters: {@code leasehold.http.requests}, {@code leasehold.http.unconnected} and {@code
 * leasehold.http.answers}, with OpenTelemetry's attributes {@code http.request.method}, {@code
 * server.address}, {@code server.port} and (answers) {@code http.response.status_code}, and with
 * {@code api} and {@code lane}. Thread-safe.
 */
public final class RequestMeterMetrics implements MeterBinder {

  private final RequestMeter meter;

  /**
   * Metrics of a meter.
   *
   * @param meter the meter
   */
  public RequestMeterMetrics(RequestMeter meter) {
    this.meter = meter;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    meter.observe(
        new RequestMeter.SeriesObserver() {
          @Override
          public void series(RequestSeries series, Tally tally) {
            FunctionCounter.builder("leasehold.http.requests", tally, Tally::requests)
                .description("Requests sent: every attempt, hop and retry")
                .baseUnit("requests")
                .tags(tags(series))
                .register(registry);
            FunctionCounter.builder("leasehold.http.unconnected", tally, Tally::unconnected)
                .description("Requests sent that found no connection")
                .baseUnit("requests")
                .tags(tags(series))
                .register(registry);
          }

          @Override
          public void status(RequestSeries series, Tally tally, int status) {
            FunctionCounter.builder("leasehold.http.answers", tally, t -> t.answers(status))
                .description("Answers received")
                .baseUnit("answers")
                .tags(tags(series).and("http.response.status_code", Integer.toString(status)))
                .register(registry);
          }
        });
  }

  private static Tags tags(RequestSeries series) {
    return Tags.of(
        "http.request.method",
        series.method(),
        "server.address",
        series.host(),
        "server.port",
        Integer.toString(series.port()),
        "api",
        series.api(),
        "lane",
        series.lane());
  }
}
