package io.leasehold.journal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes that a journal keeps and gives back exactly as they were written: spaces, key order and
 * duplicate keys of a JSON text included. An empty payload is not an absent one.
 *
 * <p>Immutable and thread-safe; the bytes are copied in and out.
 */
public final class Payload {

  private final byte[] bytes;

  private Payload(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * A payload of bytes.
   *
   * @param bytes copied
   * @return the payload
   */
  public static Payload of(byte[] bytes) {
    return new Payload(bytes.clone());
  }

  /**
   * A payload of text in UTF-8.
   *
   * @param text such as a JSON document
   * @return the payload
   */
  public static Payload of(String text) {
    return new Payload(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The bytes.
   *
   * @return a copy
   */
  public byte[] bytes() {
    return bytes.clone();
  }

  /**
   * The bytes read as UTF-8.
   *
   * @return the text
   */
  public String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Payload payload && Arrays.equals(bytes, payload.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** The size only: payloads may hold what must not be in a log. */
  @Override
  public String toString() {
    return bytes.length + " bytes";
  }
}
