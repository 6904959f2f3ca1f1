package io.leasehold.journal.sql;

import io.leasehold.FencingToken;
import io.leasehold.journal.Append;
import io.leasehold.journal.AppendAnswer;
import io.leasehold.journal.CompleteAnswer;
import io.leasehold.journal.Completion;
import io.leasehold.journal.Entry;
import io.leasehold.journal.FenceAnswer;
import io.leasehold.journal.InstanceId;
import io.leasehold.journal.Refusal;
import java.util.Optional;

/**
 * A write to ask the database for, and what its row means. The order of the refusals is here and
 * nowhere else; the statements only refrain from writing under the same conditions.
 *
 * @param <A> the answer
 */
interface Question<A> {

  /** Which statement. */
  Dialect.Write write();

  /** Its parameters. */
  Values values();

  /** What the row says. */
  A answer(Optional<Locked> row);

  /** Whether this answer means that something is written. */
  boolean writes(A answer);

  /** Whose row is locked. */
  InstanceId instance();

  /** Raises the fence. */
  record Fence(InstanceId instance, FencingToken token) implements Question<FenceAnswer> {
    @Override
    public Dialect.Write write() {
      return Dialect.Write.FENCE;
    }

    @Override
    public Values values() {
      return new Values().text("instance", instance.value()).number("token", token.value());
    }

    @Override
    public FenceAnswer answer(Optional<Locked> row) {
      if (row.isEmpty()) {
        return new Refusal.NotFound(instance);
      }
      FencingToken fence = row.get().fence();
      return fence.supersedes(token)
          ? new Refusal.FencedOut(instance, token, fence)
          : new FenceAnswer.Raised(token);
    }

    @Override
    public boolean writes(FenceAnswer answer) {
      return answer instanceof FenceAnswer.Raised;
    }
  }

  /** Appends an entry. */
  record Appending(Append append, Dialect.Write write) implements Question<AppendAnswer> {
    static Appending of(Append append) {
      return new Appending(
          append,
          append.entry().events().isEmpty()
              ? Dialect.Write.APPEND
              : Dialect.Write.APPEND_WITH_EVENTS);
    }

    @Override
    public InstanceId instance() {
      return append.entry().key().instance();
    }

    @Override
    public Values values() {
      Entry entry = append.entry();
      return new Values()
          .text("instance", instance().value())
          .number("token", append.token().value())
          .text("scope", entry.key().scope().text())
          .integer("step", entry.key().step())
          .integer("attempt", entry.key().attempt())
          .text("action", entry.action())
          .text("outcome", entry.outcome().name())
          .payload("result", entry.result())
          .payload("captured", entry.captured())
          .number("duration", entry.duration().toMillis())
          .text("state", entry.state().map(Enum::name).orElse(null))
          .payload("snapshot", entry.snapshot())
          .integer("hint", entry.hint().orElse(null))
          .text("events", EventJson.of(entry.events()));
    }

    @Override
    public AppendAnswer answer(Optional<Locked> row) {
      if (row.isEmpty()) {
        return new Refusal.NotFound(instance());
      }
      Locked found = row.get();
      if (found.fence().supersedes(append.token())) {
        return new Refusal.FencedOut(instance(), append.token(), found.fence());
      }
      if (found.state().isTerminal()) {
        return new Refusal.AlreadyTerminal(instance(), found.state());
      }
      if (found.sequence().isEmpty()) {
        return new Refusal.DuplicateKey(append.entry().key());
      }
      return new AppendAnswer.Appended(found.sequence().getAsLong());
    }

    @Override
    public boolean writes(AppendAnswer answer) {
      return answer instanceof AppendAnswer.Appended;
    }
  }

  /** Ends an instance. */
  record Completing(InstanceId instance, Completion completion, FencingToken token)
      implements Question<CompleteAnswer> {
    @Override
    public Dialect.Write write() {
      return Dialect.Write.COMPLETE;
    }

    @Override
    public Values values() {
      return new Values()
          .text("instance", instance.value())
          .number("token", token.value())
          .text("state", completion.outcome().state().name())
          .payload("snapshot", completion.snapshot());
    }

    @Override
    public CompleteAnswer answer(Optional<Locked> row) {
      if (row.isEmpty()) {
        return new Refusal.NotFound(instance);
      }
      Locked found = row.get();
      if (found.fence().supersedes(token)) {
        return new Refusal.FencedOut(instance, token, found.fence());
      }
      if (found.state() == completion.outcome().state()) {
        return new CompleteAnswer.Repeated(completion.outcome());
      }
      return found.state().isTerminal()
          ? new Refusal.AlreadyTerminal(instance, found.state())
          : new CompleteAnswer.Completed(completion.outcome());
    }

    @Override
    public boolean writes(CompleteAnswer answer) {
      return answer instanceof CompleteAnswer.Completed;
    }
  }
}
