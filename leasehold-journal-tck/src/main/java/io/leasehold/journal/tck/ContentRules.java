package io.leasehold.journal.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.journal.Entry;
import io.leasehold.journal.Event;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.InstanceState;
import io.leasehold.journal.NewInstance;
import io.leasehold.journal.Payload;
import io.leasehold.journal.RecordedEntry;
import io.leasehold.journal.StepKey;
import io.leasehold.journal.StepOutcome;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What was written is what comes back. */
abstract class ContentRules extends JournalRules {

  /** What a database that reads JSON would change: spaces, key order, a repeated key, a number. */
  private static final String TOUCHY =
      "{\"b\" :1,  \"a\": 1.00, \"b\":2,\n\"\\u00e9\":\"é🦊\", \"Quantity\":3}";

  ContentRules(JournalFixture fixture) {
    super(fixture);
  }

  private static Payload everyByte() {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return Payload.of(bytes);
  }

  @Test
  @DisplayName("J50: payloads come back byte for byte")
  void payloadsComeBackByteForByte() {
    byte[] large = new byte[300_000];
    Arrays.fill(large, (byte) 'x');
    for (Payload payload : List.of(json(TOUCHY), everyByte(), Payload.of(large))) {
      InstanceId id = InstanceId.of("payload/" + payload.bytes().length);
      journal().start(NewInstance.of(id, "flow", payload), token(1));
      appended(
          Entry.of(StepKey.of(id, 0), "a")
              .result(payload)
              .captured(payload)
              .snapshot(payload)
              .event(new Event("t", "k", payload))
              .build(),
          1);
      RecordedEntry entry = frontier(id).entries().get(0);
      assertThat(entry.result()).as("result").contains(payload);
      assertThat(entry.captured()).as("captured").contains(payload);
      assertThat(frontier(id).instance().snapshot()).as("snapshot").contains(payload);
      assertThat(frontier(id).instance().input()).as("input").contains(payload);
      assertThat(read(id).input()).as("input").contains(payload);
    }
    assertThat(journal().pendingEvents(0, 10))
        .extracting(each -> each.event().payload())
        .containsExactly(json(TOUCHY), everyByte(), Payload.of(large));
  }

  @Test
  @DisplayName("J51: an absent payload is not an empty one")
  void anAbsentPayloadIsNotAnEmptyOne() {
    started(ORDER, 1);
    journal().start(NewInstance.of(OTHER, "flow", Payload.of("")), token(1));
    appended(entry(ORDER, 0), 1);
    appended(
        Entry.of(StepKey.of(OTHER, 0), "a")
            .result(Payload.of(""))
            .captured(Payload.of(""))
            .snapshot(Payload.of(""))
            .hint(0)
            .build(),
        1);
    RecordedEntry absent = frontier(ORDER).entries().get(0);
    RecordedEntry empty = frontier(OTHER).entries().get(0);
    assertThat(absent.result()).isEmpty();
    assertThat(absent.captured()).isEmpty();
    assertThat(read(ORDER).input()).isEmpty();
    assertThat(read(ORDER).snapshot()).isEmpty();
    assertThat(read(ORDER).hint()).isEmpty();
    assertThat(empty.result()).contains(Payload.of(""));
    assertThat(empty.captured()).contains(Payload.of(""));
    assertThat(read(OTHER).input()).contains(Payload.of(""));
    assertThat(read(OTHER).snapshot()).contains(Payload.of(""));
    assertThat(read(OTHER).hint()).contains(0);
  }

  @Test
  @DisplayName("J52: durations do not overflow")
  void durationsDoNotOverflow() {
    started(ORDER, 1);
    List<Duration> durations =
        List.of(
            Duration.ZERO,
            Duration.ofMillis(1),
            Duration.ofDays(25),
            Duration.ofDays(300),
            Entry.MAX_DURATION);
    for (int step = 0; step < durations.size(); step++) {
      appended(Entry.of(StepKey.of(ORDER, step), "a").duration(durations.get(step)).build(), 1);
    }
    assertThat(frontier(ORDER).entries())
        .extracting(RecordedEntry::duration)
        .containsExactlyElementsOf(durations);
    assertThatThrownBy(
            () ->
                Entry.of(StepKey.of(ORDER, 9), "a")
                    .duration(Entry.MAX_DURATION.plusMillis(1))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("36525 days");
  }

  @Test
  @DisplayName("J53: texts with quotes, separators and emoji come back as they were")
  void textsComeBackAsTheyWere() {
    String odd = "a'b\"c\\d;e:f/{g}*%_🦊é";
    journal().start(NewInstance.of(ORDER, odd), token(1));
    Event event = new Event(odd, odd, Payload.of("x"));
    appended(Entry.of(StepKey.of(ORDER, 0), odd).event(event).build(), 1);
    assertThat(read(ORDER).flow()).isEqualTo(odd);
    assertThat(frontier(ORDER).entries().get(0).action()).isEqualTo(odd);
    assertThat(journal().pendingEvents(0, 10))
        .extracting(each -> each.event())
        .containsExactly(event);
  }

  @Test
  @DisplayName("J54: an entry without a snapshot or a hint leaves the last ones")
  void anEntryWithoutASnapshotLeavesTheLastOne() {
    started(ORDER, 1);
    appended(Entry.of(StepKey.of(ORDER, 0), "a").snapshot(Payload.of("s")).hint(7).build(), 1);
    appended(entry(ORDER, 1), 1);
    assertThat(read(ORDER).snapshot()).contains(Payload.of("s"));
    assertThat(read(ORDER).hint()).contains(7);
  }

  @Test
  @DisplayName("J55: the first entry makes a pending instance running; other states stay")
  void theFirstEntryMakesAPendingInstanceRunning() {
    started(ORDER, 1);
    appended(entry(ORDER, 0), 1);
    assertThat(read(ORDER).state()).isEqualTo(InstanceState.RUNNING);
    appended(Entry.of(StepKey.of(ORDER, 1), "wait").state(InstanceState.SUSPENDED).build(), 1);
    assertThat(read(ORDER).state()).isEqualTo(InstanceState.SUSPENDED);
    appended(entry(ORDER, 2), 1);
    assertThat(read(ORDER).state()).isEqualTo(InstanceState.SUSPENDED);
    appended(Entry.of(StepKey.of(ORDER, 3), "go").state(InstanceState.RUNNING).build(), 1);
    assertThat(read(ORDER).state()).isEqualTo(InstanceState.RUNNING);
    assertThatThrownBy(
            () -> Entry.of(StepKey.of(ORDER, 4), "a").state(InstanceState.FAILED).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("complete");
  }

  @Test
  @DisplayName("J56: an entry says its outcome, its token and when it was committed")
  void anEntrySaysItsOutcomeItsTokenAndWhen() {
    started(ORDER, 4);
    appended(Entry.of(StepKey.of(ORDER, 0), "undo").outcome(StepOutcome.COMPENSATED).build(), 5);
    RecordedEntry entry = frontier(ORDER).entries().get(0);
    assertThat(entry.outcome()).isEqualTo(StepOutcome.COMPENSATED);
    assertThat(entry.token()).isEqualTo(token(5));
    assertThat(entry.committedAt()).isBetween(read(ORDER).startedAt(), read(ORDER).touchedAt());
  }
}
