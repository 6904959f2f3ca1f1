package io.leasehold.redis;

import java.util.List;

/** A script, the key it is about, and what it is told. */
record ScriptCall(LeaseScript script, String key, List<String> arguments) {

  ScriptCall {
    arguments = List.copyOf(arguments);
  }
}
