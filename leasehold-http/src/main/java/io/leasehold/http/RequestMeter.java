package io.leasehold.http;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts every outgoing request <em>as it is sent</em>: each attempt, each hop of a redirect, each
 * retry, whatever the answer, and each attempt that found no connection. A limit is charged for
 * what is sent, not for what came back.
 *
 * <pre>{@code
 * RequestMeter meter = RequestMeter.builder("forge").build();
 * OkHttpClient client = MeteredOkHttp.install(new OkHttpClient.Builder(), meter).build();
 * }</pre>
 *
 * <p>One line is logged per hour that saw requests, when the first request of a later hour is sent,
 * or on {@link #close}. Counting takes no lock that all threads share. Thread-safe.
 */
public final class RequestMeter implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RequestMeter.class);

  private final InstantSource clock;
  private final Instant since;
  private final ApiClassifier classifier;
  private final Consumer<HourReport> reports;
  private final NameLimit hosts;
  private final NameLimit apis;
  private final NameLimit lanes;
  private final ConcurrentMap<RequestSeries, Tally> tallies = new ConcurrentHashMap<>();
  private final List<SeriesObserver> observers = new CopyOnWriteArrayList<>();
  private final RateBudgets budgets = new RateBudgets();
  private final HourLedger ledger;

  /** Told of each new series and each new status of one; on the thread that sends. */
  interface SeriesObserver {
    void series(RequestSeries series, Tally tally);

    void status(RequestSeries series, Tally tally, int status);
  }

  private RequestMeter(Builder options) {
    this.clock = options.clock;
    this.since = clock.instant();
    this.classifier = options.classifier;
    this.reports = options.reports;
    this.hosts = new NameLimit(options.maxHosts, "(other hosts)");
    this.apis = new NameLimit(options.maxHosts, "(other apis)");
    this.lanes = new NameLimit(options.maxHosts, "(other lanes)");
    this.ledger = new HourLedger(options.name, tallies, since);
  }

  /**
   * Options of a meter.
   *
   * @param name what its hourly line begins with, such as {@code forge}
   * @return the options, with their defaults
   * @throws IllegalArgumentException if the name is blank
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /**
   * Counts one request. An adapter calls it just before the request is sent, once per attempt.
   *
   * @param request the request
   */
  public void sent(OutgoingRequest request) {
    ledger.turn(clock.millis()).ifPresent(this::report);
    tally(request).sent();
  }

  /**
   * Notes that a request already counted as sent found no connection: refused, unreachable, no such
   * host, no answer in time, or a failed TLS handshake.
   *
   * @param request the request
   */
  public void unconnected(OutgoingRequest request) {
    tally(request).notConnected();
  }

  /**
   * Notes the answer to a request already counted as sent, and the rate limit it tells of.
   *
   * @param request the request
   * @param status the status of the answer
   * @param headers finds the first value of a header of the answer, whatever its case
   * @param authorization the {@code Authorization} header the request was sent with, if any; kept
   *     only as a fingerprint
   */
  public void answered(
      OutgoingRequest request,
      int status,
      Function<String, Optional<String>> headers,
      Optional<String> authorization) {
    RequestSeries series = series(request);
    Tally tally = tally(series);
    if (tally.answered(status)) {
      observers.forEach(o -> o.status(series, tally, status));
    }
    budgets.answered(request.host(), authorization, headers, clock.instant());
  }

  /**
   * All that was counted since the meter was built.
   *
   * @return the snapshot
   */
  public MeterSnapshot snapshot() {
    List<MeterSnapshot.Count> counts =
        tallies.entrySet().stream()
            .map(e -> count(e.getKey(), e.getValue()))
            .sorted(
                Comparator.comparingLong(MeterSnapshot.Count::requests)
                    .reversed()
                    .thenComparing(c -> c.series().toString()))
            .toList();
    return new MeterSnapshot(since, clock.instant(), counts, budgets.all());
  }

  /**
   * The rate limit last seen for a credential.
   *
   * @param host the host, in lower case
   * @param authorization the {@code Authorization} header its requests are sent with, if any
   * @param resource what is limited: {@code core} or {@code graphql} at GitHub; {@code default}
   *     where the host does not say
   * @return the budget, or empty if the host has told of none yet
   */
  public Optional<RateBudget> budget(String host, Optional<String> authorization, String resource) {
    return budgets.of(host, RateBudgets.fingerprint(authorization), resource);
  }

  /**
   * Reports the running hour, as far as it got. Close it last: what is sent later is still counted,
   * and reported when its own hour is over. Closing again reports only what came since.
   */
  @Override
  public void close() {
    Instant now = clock.instant();
    ledger.turn(now.toEpochMilli()).ifPresent(this::report);
    ledger.stop(now).ifPresent(this::report);
  }

  /** Tells the observer of every series there is, then of each new one. Some may be told twice. */
  void observe(SeriesObserver observer) {
    observers.add(observer);
    tallies.forEach(
        (series, tally) -> {
          observer.series(series, tally);
          tally.answers().keySet().forEach(status -> observer.status(series, tally, status));
        });
  }

  private static MeterSnapshot.Count count(RequestSeries series, Tally tally) {
    return new MeterSnapshot.Count(
        series,
        tally.requests(),
        tally.unconnected(),
        tally.answers().entrySet().stream()
            .collect(Collectors.toMap(e -> e.getKey(), e -> e.getValue().sum())));
  }

  private Tally tally(OutgoingRequest request) {
    return tally(series(request));
  }

  private Tally tally(RequestSeries series) {
    Tally known = tallies.get(series);
    if (known != null) {
      return known;
    }
    Tally fresh = new Tally();
    Tally raced = tallies.putIfAbsent(series, fresh);
    if (raced != null) {
      return raced;
    }
    observers.forEach(o -> o.series(series, fresh));
    return fresh;
  }

  private RequestSeries series(OutgoingRequest request) {
    String host = hosts.admit(request.host());
    boolean named = host.equals(request.host());
    return new RequestSeries(
        request.method(),
        host,
        named ? request.port() : 0,
        apis.admit(api(request)),
        lanes.admit(request.lane()));
  }

  /** A classifier that fails must not cost a request, nor its count. */
  private String api(OutgoingRequest request) {
    try {
      return classifier.api(request.host(), request.path());
    } catch (RuntimeException e) {
      LOG.debug("The API classifier failed for {}{}", request.host(), request.path(), e);
      return "unclassified";
    }
  }

  private void report(HourReport report) {
    try {
      reports.accept(report);
    } catch (RuntimeException e) {
      LOG.warn("Nobody took the hourly report: {}", report.line(), e);
    }
  }

  /**
   * Options of a meter. Not thread-safe.
   *
   * <pre>{@code
   * RequestMeter.builder("forge").maxHosts(8).build();
   * }</pre>
   */
  public static final class Builder {

    private final String name;
    private InstantSource clock = InstantSource.system();
    private ApiClassifier classifier = ApiClassifier.REST_OR_GRAPHQL;
    private Consumer<HourReport> reports = report -> LOG.info("{}", report.line());
    private int maxHosts = 64;

    private Builder(String name) {
      if (name.isBlank()) {
        throw new IllegalArgumentException("a meter's name must not be blank");
      }
      this.name = name;
    }

    /**
     * The clock that says which hour it is.
     *
     * @param clock the clock; the system's by default
     * @return this
     */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /**
     * How requests are told apart by API.
     *
     * @param classifier the classifier; {@link ApiClassifier#REST_OR_GRAPHQL} by default
     * @return this
     */
    public Builder classifier(ApiClassifier classifier) {
      this.classifier = classifier;
      return this;
    }

    /**
     * Where the hourly reports go instead of the log.
     *
     * @param reports takes each report, on a thread that is about to send a request
     * @return this
     */
    public Builder reports(Consumer<HourReport> reports) {
      this.reports = reports;
      return this;
    }

    /**
     * How many hosts, how many APIs and how many lanes are counted by name in the meter's life;
     * later ones are counted together. It bounds the meter's memory.
     *
     * @param maxHosts 1 to 10,000; 64 by default
     * @return this
     * @throws IllegalArgumentException if it is not in that range
     */
    public Builder maxHosts(int maxHosts) {
      if (maxHosts < 1 || maxHosts > 10_000) {
        throw new IllegalArgumentException("maxHosts " + maxHosts + " is not in 1 to 10,000");
      }
      this.maxHosts = maxHosts;
      return this;
    }

    /**
     * Begins to count.
     *
     * @return the meter
     */
    public RequestMeter build() {
      return new RequestMeter(this);
    }
  }
}
