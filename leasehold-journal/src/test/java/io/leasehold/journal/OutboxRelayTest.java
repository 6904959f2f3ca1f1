package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.FencingToken;
import io.leasehold.LeaseStoreException;
import io.leasehold.journal.memory.MemoryJournal;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Publishing what was committed. */
class OutboxRelayTest {

  private static final FencingToken ONE = new FencingToken(1);
  private static final InstanceId ORDER = InstanceId.of("order/42");

  private final Journal journal = new MemoryJournal(InstantSource.system());
  private final List<String> sent = new ArrayList<>();

  @BeforeEach
  void start() {
    journal.start(NewInstance.of(ORDER, "order"), ONE);
  }

  private void emit(int step, String key) {
    journal.append(
        Entry.of(StepKey.of(ORDER, step), "a")
            .event(new Event("t", key, Payload.of(key + step)))
            .build(),
        ONE);
  }

  private void send(PendingEvent event) {
    sent.add(event.event().payload().text());
  }

  @Test
  void eventsArePublishedInOrderAndThenMarked() {
    for (int step = 0; step < 250; step++) {
      emit(step, step % 2 == 0 ? "even" : "odd");
    }
    OutboxRelay relay = new OutboxRelay(journal, this::send);
    assertThat(relay.pass(() -> true)).isEqualTo(new OutboxRelay.Report(250, 0));
    assertThat(sent).hasSize(250);
    assertThat(sent.subList(0, 3)).containsExactly("even0", "odd1", "even2");
    assertThat(sent.get(249)).isEqualTo("odd249");
    assertThat(relay.pass(() -> true)).isEqualTo(new OutboxRelay.Report(0, 0));
  }

  @Test
  void aKeyThatFailsKeepsItsOrderAndDoesNotHinderTheOthers() {
    for (int step = 0; step < 150; step++) {
      emit(step, "bad");
    }
    emit(150, "good");
    boolean[] broken = {true};
    OutboxRelay relay =
        new OutboxRelay(
            journal,
            event -> {
              if (broken[0] && event.event().partitionKey().equals("bad")) {
                throw new IllegalStateException("refused");
              }
              send(event);
            });
    assertThat(relay.pass(() -> true)).isEqualTo(new OutboxRelay.Report(1, 150));
    assertThat(sent).containsExactly("good150");
    broken[0] = false;
    assertThat(relay.pass(() -> true)).isEqualTo(new OutboxRelay.Report(150, 0));
    assertThat(sent.subList(1, 4)).containsExactly("bad0", "bad1", "bad2");
  }

  @Test
  void anEventWhoseMarkWasLostIsPublishedAgainWithTheSameId() {
    emit(0, "k");
    List<String> ids = new ArrayList<>();
    Journal forgetful =
        (Journal)
            Proxy.newProxyInstance(
                Journal.class.getClassLoader(),
                new Class<?>[] {Journal.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("markPublished")) {
                    throw new JournalException(
                        LeaseStoreException.Outcome.UNKNOWN, "away", new IllegalStateException());
                  }
                  return method.invoke(journal, arguments);
                });
    assertThatThrownBy(
            () -> new OutboxRelay(forgetful, event -> ids.add(event.id())).pass(() -> true))
        .isInstanceOf(JournalException.class);
    new OutboxRelay(journal, event -> ids.add(event.id())).pass(() -> true);
    assertThat(ids).containsExactly("order/42#1.1", "order/42#1.1");
    assertThat(journal.pendingEvents(0, 10)).isEmpty();
  }

  @Test
  void aRelayThatIsNoLongerElectedStopsAndMarksWhatItHasPublished() {
    for (int step = 0; step < 10; step++) {
      emit(step, "k");
    }
    OutboxRelay relay = new OutboxRelay(journal, this::send);
    assertThat(relay.pass(() -> sent.size() < 4)).isEqualTo(new OutboxRelay.Report(4, 0));
    assertThat(journal.pendingEvents(0, 10)).hasSize(6);
  }
}
