package io.leasehold;

import java.util.Optional;

/**
 * Which part of a listing to read.
 *
 * @param cursor where to go on, from {@link LeasePage#next()}; absent for the first page
 * @param size about how many records to return, 1 to 10,000
 */
public record Page(Optional<String> cursor, int size) {

  /** The largest page. */
  public static final int MAX_SIZE = 10_000;

  /**
   * Checks the size.
   *
   * @throws IllegalArgumentException if the size is not between 1 and {@value #MAX_SIZE}
   */
  public Page {
    if (size < 1 || size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "page size " + size + " is out of range: 1 to " + MAX_SIZE);
    }
  }

  /**
   * The first page.
   *
   * @param size about how many records to return, 1 to 10,000
   * @return the page
   */
  public static Page first(int size) {
    return new Page(Optional.empty(), size);
  }

  /**
   * The page at a cursor.
   *
   * @param cursor what {@link LeasePage#next()} gave
   * @param size about how many records to return, 1 to 10,000
   * @return the page
   */
  public static Page at(String cursor, int size) {
    return new Page(Optional.of(cursor), size);
  }
}
