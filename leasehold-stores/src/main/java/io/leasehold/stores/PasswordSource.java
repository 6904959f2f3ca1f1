package io.leasehold.stores;

import io.leasehold.spi.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where a password comes from that is not in the URL.
 *
 * @param environment the environment's variables, by name
 */
record PasswordSource(Function<String, Optional<String>> environment) {

  static final String OPTION = "passwordFile";
  static final String VARIABLE = "LEASEHOLD_STORE_PASSWORD";
  static final String FILE_VARIABLE = "LEASEHOLD_STORE_PASSWORD_FILE";

  /** More than any password; a larger file was not meant. */
  private static final long MAX_BYTES = 4_096;

  /**
   * The URL with its password, and without the option that says where it is.
   *
   * @throws IllegalArgumentException if a file that was named cannot be read
   */
  StoreUrl complete(StoreUrl url) {
    StoreUrl plain = url.without(OPTION);
    if (url.password().isPresent()) {
      if (url.option(OPTION).isPresent()) {
        throw new IllegalArgumentException(
            "the store URL " + url + " has a password and the option passwordFile; give one");
      }
      return plain;
    }
    Optional<String> named = url.option(OPTION);
    if (named.isPresent()) {
      return plain.withPassword(read("the option " + OPTION, named.get()));
    }
    if (url.hosts().isEmpty()) {
      // A file has no password; the environment's is meant for something else.
      return plain;
    }
    Optional<String> given = variable(VARIABLE);
    if (given.isPresent()) {
      return plain.withPassword(given.get());
    }
    Optional<String> file = variable(FILE_VARIABLE);
    return file.isPresent() ? plain.withPassword(read(FILE_VARIABLE, file.get())) : plain;
  }

  /** A variable that is empty counts as not set. */
  private Optional<String> variable(String name) {
    return environment.apply(name).filter(value -> !value.isEmpty());
  }

  /** The file's text without the line end that editors add. */
  private static String read(String origin, String file) {
    String text;
    try {
      Path path = Path.of(file);
      if (Files.size(path) > MAX_BYTES) {
        throw new IllegalArgumentException(
            "the file that " + origin + " names has more than 4096 bytes; it is no password");
      }
      text = Files.readString(path);
    } catch (IOException | InvalidPathException e) {
      throw new IllegalArgumentException(
          "the file '"
              + file
              + "' that "
              + origin
              + " names cannot be read as UTF-8: "
              + e.getClass().getSimpleName());
    }
    String password =
        text.endsWith("\r\n")
            ? text.substring(0, text.length() - 2)
            : text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    if (password.isEmpty() || password.indexOf('\n') >= 0) {
      throw new IllegalArgumentException(
          "the file '" + file + "' that " + origin + " names must hold one line, the password");
    }
    return password;
  }
}
