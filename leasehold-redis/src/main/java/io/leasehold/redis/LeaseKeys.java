package io.leasehold.redis;

import io.leasehold.LeaseName;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How names become keys: <code>{prefix:name}</code>.
 *
 * <p>Different names never share a key: a key is the name between two constant texts. The slot of a
 * key is well defined whatever braces the name has: Redis hashes what lies between the first
 * opening brace and the first closing one after it, which here begins with {@code prefix:} and so
 * is never empty. It is the whole name, or the name up to its own first closing brace. The prefix
 * is kept free of colons, braces and the characters of glob patterns, so that two prefixes cannot
 * meet in one key either.
 *
 * @param prefix what sets these leases apart from everything else in the server
 */
record LeaseKeys(String prefix) {

  private static final Pattern LEGAL = Pattern.compile("[A-Za-z0-9_./-]{1,64}");

  LeaseKeys {
    if (!LEGAL.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "prefix '" + prefix + "' is not legal: 1 to 64 of the characters A-Z a-z 0-9 _ . / -");
    }
  }

  String key(LeaseName name) {
    return head() + name.value() + "}";
  }

  /** The name that a key stands for; empty when it is not a key of these. */
  Optional<LeaseName> name(String key) {
    if (!key.startsWith(head()) || !key.endsWith("}") || key.length() <= head().length()) {
      return Optional.empty();
    }
    try {
      return Optional.of(LeaseName.of(key.substring(head().length(), key.length() - 1)));
    } catch (IllegalArgumentException notAName) {
      return Optional.empty();
    }
  }

  /** The glob pattern of the keys whose names start with this, byte for byte. */
  String pattern(String namePrefix) {
    return head() + namePrefix.replaceAll("[\\\\*?\\[]", "\\\\$0") + "*";
  }

  /** Where the release of a name is published. */
  String channel(LeaseName name) {
    return prefix + ":freed:" + name.value();
  }

  private String head() {
    return "{" + prefix + ":";
  }
}
