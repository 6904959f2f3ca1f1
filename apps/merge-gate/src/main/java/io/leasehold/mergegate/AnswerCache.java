package io.leasehold.mergegate;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The last answer to each question, for asking "has it changed since?": a 304 costs no budget. Kept
 * by credential and address, since a forge answers each credential for itself. Bounded; what was
 * asked longest ago goes first.
 */
final class AnswerCache {

  private static final int MAX_ANSWERS = 20_000;

  record Key(String authorization, String url) {}

  record Answer(String etag, JsonNode body) {}

  private final Map<Key, Answer> answers =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Answer> eldest) {
          return size() > MAX_ANSWERS;
        }
      };

  synchronized Optional<Answer> get(Key key) {
    return Optional.ofNullable(answers.get(key));
  }

  synchronized void put(Key key, Answer answer) {
    answers.put(key, answer);
  }
}
