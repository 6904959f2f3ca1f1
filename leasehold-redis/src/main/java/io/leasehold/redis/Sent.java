package io.leasehold.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A command on its way, which knows whether it was ever turned into bytes. One that failed without
 * having been is certain not to have happened.
 */
final class Sent extends AsyncCommand<String, String, List<Object>> {

  private volatile boolean written;

  private Sent(CommandType type, CommandArgs<String, String> args) {
    super(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8), args));
  }

  /** The call by the script's SHA. */
  static Sent bySha(ScriptCall call) {
    return new Sent(CommandType.EVALSHA, scriptArguments(call, call.script().sha()));
  }

  /** The call with the script's text, which the server then knows. */
  static Sent byText(ScriptCall call) {
    return new Sent(CommandType.EVAL, scriptArguments(call, call.script().text()));
  }

  /** Announces that the next command may be for a slot that is being moved here. */
  static Sent asking() {
    return new Sent(CommandType.ASKING, new CommandArgs<>(StringCodec.UTF8));
  }

  /** Waits until that many replicas have what this connection wrote. */
  static Sent waiting(int replicas, long millis) {
    return new Sent(
        CommandType.WAIT, new CommandArgs<>(StringCodec.UTF8).add(replicas).add(millis));
  }

  /** One step of a listing of hashes. */
  static Sent scan(String cursor, String pattern, int count) {
    return new Sent(
        CommandType.SCAN,
        new CommandArgs<>(StringCodec.UTF8)
            .add(cursor)
            .add("MATCH")
            .add(pattern)
            .add("COUNT")
            .add(count)
            .add("TYPE")
            .add("hash"));
  }

  private static CommandArgs<String, String> scriptArguments(ScriptCall call, String script) {
    CommandArgs<String, String> args =
        new CommandArgs<>(StringCodec.UTF8).add(script).add(1).addKey(call.key());
    call.arguments().forEach(args::addValue);
    return args;
  }

  @Override
  public void encode(ByteBuf buf) {
    written = true;
    super.encode(buf);
  }

  /** Whether the server may have received it. */
  boolean wasWritten() {
    return written;
  }
}
