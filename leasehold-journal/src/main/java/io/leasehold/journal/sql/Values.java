package io.leasehold.journal.sql;

import io.leasehold.journal.Payload;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The values of a statement's parameters, by name. Absent values keep their type. */
final class Values {

  private record Value(int type, @Nullable Object content) {}

  private final Map<String, Value> values = new HashMap<>();

  Values text(String name, @Nullable String content) {
    values.put(name, new Value(Types.VARCHAR, content));
    return this;
  }

  Values number(String name, @Nullable Long content) {
    values.put(name, new Value(Types.BIGINT, content));
    return this;
  }

  Values integer(String name, @Nullable Integer content) {
    values.put(name, new Value(Types.INTEGER, content));
    return this;
  }

  Values payload(String name, Optional<Payload> content) {
    values.put(name, new Value(Types.BINARY, content.map(Payload::bytes).orElse(null)));
    return this;
  }

  void bind(PreparedStatement statement, int index, String name) throws SQLException {
    Value value = values.get(name);
    if (value == null) {
      throw new IllegalStateException("the statement wants a value for " + name);
    }
    if (value.content() instanceof String text) {
      statement.setString(index, text);
    } else if (value.content() instanceof Long number) {
      statement.setLong(index, number);
    } else if (value.content() instanceof Integer integer) {
      statement.setInt(index, integer);
    } else if (value.content() instanceof byte[] bytes) {
      statement.setBytes(index, bytes);
    } else {
      statement.setNull(index, value.type());
    }
  }
}
