package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.AcquireAnswer;
import io.leasehold.AcquireRequest;
import io.leasehold.FencingToken;
import io.leasehold.Lease;
import io.leasehold.LeaseName;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many candidates ask at the same moment. */
class ContentionTest {

  private static final int CANDIDATES = 16;
  private static final Duration TTL = Duration.ofMinutes(1);

  private final MongoServerUnderTest server = MongoServerUnderTest.start();
  private final List<MongoLeaseStore> stores = List.of(server.open(), server.open());
  private final ExecutorService threads = Executors.newFixedThreadPool(CANDIDATES);
  private final CyclicBarrier together = new CyclicBarrier(CANDIDATES);

  @AfterEach
  void close() {
    threads.shutdownNow();
    stores.forEach(MongoLeaseStore::close);
    server.close();
  }

  @Test
  void ofThoseWhoFindANewNameExactlyOneGetsIt() throws Exception {
    for (int round = 0; round < 40; round++) {
      LeaseName name = LeaseName.of("new-" + round);
      assertThat(granted(race(name, round))).hasSize(1);
    }
  }

  @Test
  void ofThoseWhoFindAFreeNameExactlyOneGetsItAndTokensGrow() throws Exception {
    LeaseName name = LeaseName.of("job");
    FencingToken last = new FencingToken(1);
    for (int round = 0; round < 40; round++) {
      List<Lease> granted = granted(race(name, round));
      assertThat(granted).hasSize(1);
      assertThat(granted.get(0).token()).isGreaterThan(last);
      last = granted.get(0).token();
      assertThat(stores.get(0).release(granted.get(0), Duration.ZERO))
          .isEqualTo(ReleaseAnswer.RELEASED);
    }
  }

  @Test
  void batchesThatMeetShareTheNamesBetweenThem() throws Exception {
    for (int round = 0; round < 10; round++) {
      int at = round;
      List<LeaseName> names =
          IntStream.range(0, 20).mapToObj(i -> LeaseName.of("order/" + at + "/" + i)).toList();
      List<AcquireAnswer> answers = new ArrayList<>();
      for (List<AcquireAnswer> each :
          all(
              candidate ->
                  stores
                      .get(candidate % stores.size())
                      .acquireAll(
                          names.stream()
                              .map(
                                  name ->
                                      new AcquireRequest(
                                          name, "c" + candidate, attempt(at, candidate), TTL))
                              .toList()))) {
        answers.addAll(each);
      }
      assertThat(granted(answers))
          .extracting(Lease::name)
          .containsExactlyInAnyOrderElementsOf(names);
    }
  }

  private List<AcquireAnswer> race(LeaseName name, int round) throws Exception {
    return all(
        candidate ->
            stores
                .get(candidate % stores.size())
                .acquire(name, "c" + candidate, attempt(round, candidate), TTL));
  }

  private static String attempt(int round, int candidate) {
    return "r" + round + "-c" + candidate;
  }

  private interface Candidate<T> {
    T run(int candidate);
  }

  private <T> List<T> all(Candidate<T> running) throws InterruptedException, ExecutionException {
    List<Callable<T>> calls = new ArrayList<>();
    for (int i = 0; i < CANDIDATES; i++) {
      int candidate = i;
      calls.add(
          () -> {
            together.await();
            return running.run(candidate);
          });
    }
    List<T> answers = new ArrayList<>();
    for (Future<T> each : threads.invokeAll(calls)) {
      answers.add(each.get());
    }
    return answers;
  }

  private static List<Lease> granted(List<AcquireAnswer> answers) {
    return answers.stream()
        .filter(AcquireAnswer.Granted.class::isInstance)
        .map(answer -> ((AcquireAnswer.Granted) answer).lease())
        .toList();
  }
}
