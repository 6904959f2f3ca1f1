package io.leasehold.journal;

import java.util.regex.Pattern;

/**
 * Where in an instance a step runs: the root, or an element of a fan-out in another scope. The root
 * is written {@code -}, its fourth element {@code -/3}, the first element of that {@code -/3/0}.
 *
 * <p>The root has a text of its own because an empty text and an absent one are folded together by
 * some databases; so the empty text is an error, everywhere.
 *
 * <p>Immutable and thread-safe.
 *
 * @param text the scope as it is stored
 */
public record Scope(String text) {

  /** Before the root, which is checked against it. */
  private static final Pattern LEGAL = Pattern.compile("-(/(0|[1-9][0-9]{0,8}))*");

  /** The scope of the instance itself. */
  public static final Scope ROOT = new Scope("-");

  /** The longest text, in characters. */
  public static final int MAX_LENGTH = 255;

  /**
   * Checks the text.
   *
   * @throws IllegalArgumentException if the text is empty or not canonical
   */
  public Scope {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("a scope is empty; the root scope is written '-'");
    }
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a scope has " + text.length() + " characters; at most " + MAX_LENGTH + " are allowed");
    }
    if (!LEGAL.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "scope '"
              + text
              + "' is not legal; the root is '-', its fourth element '-/3',"
              + " numbers have no leading zero and at most 9 digits");
    }
  }

  /**
   * The scope in this text.
   *
   * @param text such as {@code -/3/0}
   * @return the scope
   * @throws IllegalArgumentException if the text is empty or not canonical
   */
  public static Scope parse(String text) {
    return new Scope(text);
  }

  /**
   * An element of this scope.
   *
   * @param index which one, 0 to 999,999,999
   * @return its scope
   * @throws IllegalArgumentException if the index is out of range or the text grows too long
   */
  public Scope element(int index) {
    return new Scope(text + "/" + index);
  }

  /**
   * How deep this scope is nested.
   *
   * @return 0 for the root
   */
  public int depth() {
    return (int) text.chars().filter(c -> c == '/').count();
  }

  /** The text. */
  @Override
  public String toString() {
    return text;
  }
}
