package io.leasehold.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is, as an operator writes it: {@code scheme://user:password@host:port/path?option=
 * value}, with any number of hosts, or {@code scheme:path?option=value} where there is no server.
 * What has a special character in it is percent-encoded.
 *
 * <p>The password is never shown: not by {@link #toString}, and not by the message of an exception
 * that this class throws, whatever the text was. Therefore those messages quote no part of it.
 *
 * <p>Immutable and thread-safe. Not a value: two are equal only if they are the same.
 */
public final class StoreUrl {

  private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+-]{0,31}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]");

  /**
   * A server's address.
   *
   * @param name the host's name or address; an IPv6 address without brackets
   * @param port the port, if the URL gives one
   */
  public record Host(String name, OptionalInt port) {

    /** The host and its port, as in a URL. */
    @Override
    public String toString() {
      String host = name.contains(":") ? "[" + name + "]" : name;
      return port.isPresent() ? host + ":" + port.getAsInt() : host;
    }
  }

  private final String scheme;
  private final Optional<String> user;
  private final Optional<String> password;
  private final List<Host> hosts;
  private final String path;
  private final Map<String, String> options;

  private StoreUrl(
      String scheme,
      Optional<String> user,
      Optional<String> password,
      List<Host> hosts,
      String path,
      Map<String, String> options) {
    this.scheme = scheme;
    this.user = user;
    this.password = password;
    this.hosts = List.copyOf(hosts);
    this.path = path;
    this.options = options;
  }

  /**
   * Reads a URL.
   *
   * @param text the URL
   * @return the same in its parts
   * @throws IllegalArgumentException if the text is no store URL; one line says what is right
   */
  public static StoreUrl parse(String text) {
    int colon = text.indexOf(':');
    String scheme = colon < 0 ? "" : text.substring(0, colon);
    if (!SCHEME.matcher(scheme).matches()) {
      throw new IllegalArgumentException(
          "a store URL starts with a scheme in lower case and a colon, such as"
              + " postgresql://host/database, redis://host or sqlite:leases.db");
    }
    String rest = text.substring(colon + 1);
    return rest.startsWith("//") && !scheme.equals("sqlite")
        ? ofServer(scheme, rest.substring(2))
        : ofPath(scheme, rest);
  }

  private static StoreUrl ofServer(String scheme, String rest) {
    int end = firstOf(rest, '/', '?');
    String authority = rest.substring(0, end);
    String beyond = rest.substring(end);
    if (beyond.indexOf('@') >= 0) {
      throw malformed(
          scheme,
          "has an @ after the host; write / as %2F, ? as %3F and @ as %40 in a user, password, path"
              + " or option");
    }
    int query = beyond.indexOf('?');
    String path = query < 0 ? beyond : beyond.substring(0, query);
    int at = authority.lastIndexOf('@');
    Optional<String> user = Optional.empty();
    Optional<String> password = Optional.empty();
    if (at >= 0) {
      String info = authority.substring(0, at);
      int split = info.indexOf(':');
      user = nonEmpty(decoded(scheme, split < 0 ? info : info.substring(0, split)));
      password = split < 0 ? password : nonEmpty(decoded(scheme, info.substring(split + 1)));
    }
    List<Host> hosts = new ArrayList<>();
    for (String each : authority.substring(at + 1).split(",", -1)) {
      hosts.add(host(scheme, each));
    }
    String decodedPath = decoded(scheme, path.startsWith("/") ? path.substring(1) : path);
    return new StoreUrl(
        scheme,
        user,
        password,
        hosts,
        decodedPath,
        options(scheme, query < 0 ? "" : beyond.substring(query + 1)));
  }

  private static StoreUrl ofPath(String scheme, String rest) {
    int query = rest.indexOf('?');
    return new StoreUrl(
        scheme,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        decoded(scheme, query < 0 ? rest : rest.substring(0, query)),
        options(scheme, query < 0 ? "" : rest.substring(query + 1)));
  }

  private static Host host(String scheme, String text) {
    int colon = text.endsWith("]") ? -1 : text.lastIndexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    if (!HOST.matcher(name).matches()) {
      throw malformed(
          scheme, "has no legal host; write " + scheme + "://host:port, an IPv6 address in []");
    }
    String bare = name.startsWith("[") ? name.substring(1, name.length() - 1) : name;
    return new Host(
        bare,
        colon < 0 ? OptionalInt.empty() : OptionalInt.of(port(scheme, text.substring(colon + 1))));
  }

  private static int port(String scheme, String text) {
    int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    if (port < 1 || port > 65_535) {
      throw malformed(
          scheme,
          "has a port that is not a number from 1 to 65535; special characters in a password are"
              + " percent-encoded");
    }
    return port;
  }

  private static Map<String, String> options(String scheme, String query) {
    Map<String, String> options = new LinkedHashMap<>();
    if (query.isEmpty()) {
      return options;
    }
    for (String each : query.split("&", -1)) {
      int equal = each.indexOf('=');
      if (equal < 1) {
        throw malformed(scheme, "has an option that is not written name=value");
      }
      String name = decoded(scheme, each.substring(0, equal));
      if (options.put(name, decoded(scheme, each.substring(equal + 1))) != null) {
        throw malformed(scheme, "has an option twice; give each once");
      }
    }
    return options;
  }

  private static String decoded(String scheme, String text) {
    try {
      // A plus is a plus here: this is no form.
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // The cause is left out: it may quote the password.
      throw malformed(scheme, "has a % that does not begin a percent-encoded byte; write % as %25");
    }
  }

  private static IllegalArgumentException malformed(String scheme, String why) {
    return new IllegalArgumentException("the store URL " + scheme + ":… " + why);
  }

  private static int firstOf(String text, char one, char other) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == one || text.charAt(i) == other) {
        return i;
      }
    }
    return text.length();
  }

  private static Optional<String> nonEmpty(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  /**
   * The scheme.
   *
   * @return in lower case, without the colon
   */
  public String scheme() {
    return scheme;
  }

  /**
   * The user.
   *
   * @return decoded; absent if the URL has none
   */
  public Optional<String> user() {
    return user;
  }

  /**
   * The password. Never log it.
   *
   * @return decoded; absent if none was given
   */
  public Optional<String> password() {
    return password;
  }

  /**
   * The servers.
   *
   * @return at least one, unless the URL is of a store without a server
   */
  public List<Host> hosts() {
    return hosts;
  }

  /**
   * This URL, if it is of a server.
   *
   * @return this
   * @throws IllegalArgumentException if it names no server
   */
  public StoreUrl requireHost() {
    if (hosts.isEmpty()) {
      throw malformed(scheme, "names no server; write " + scheme + "://host");
    }
    return this;
  }

  /**
   * What stands behind the hosts, or behind the scheme where there are none.
   *
   * @return decoded, without the first slash if there are hosts; empty if there is none
   */
  public String path() {
    return path;
  }

  /**
   * The options.
   *
   * @return names and values, decoded, in the order of the URL
   */
  public Map<String, String> options() {
    return new LinkedHashMap<>(options);
  }

  /**
   * One option.
   *
   * @param name its name
   * @return its value; absent if the URL does not have it
   */
  public Optional<String> option(String name) {
    @Nullable String value = options.get(name);
    return Optional.ofNullable(value);
  }

  /**
   * One option that is a switch.
   *
   * @param name its name
   * @param otherwise what holds if the URL does not have it
   * @return whether it is on
   * @throws IllegalArgumentException if it is neither {@code on} nor {@code off}, {@code true} nor
   *     {@code false}
   */
  public boolean isOn(String name, boolean otherwise) {
    return switch (option(name).orElse(otherwise ? "on" : "off")) {
      case "on", "true" -> true;
      case "off", "false" -> false;
      default -> throw malformed(scheme, "has an option " + name + " that is neither on nor off");
    };
  }

  /**
   * The same URL with another password.
   *
   * @param secret the password
   * @return the URL
   */
  public StoreUrl withPassword(String secret) {
    return new StoreUrl(scheme, user, Optional.of(secret), hosts, path, options);
  }

  /**
   * The same URL without some options, such as those that are not the driver's.
   *
   * @param names the names of the options
   * @return the URL
   */
  public StoreUrl without(String... names) {
    Map<String, String> kept = options();
    List.of(names).forEach(kept::remove);
    return new StoreUrl(scheme, user, password, hosts, path, kept);
  }

  /** Scheme, hosts and path; never the user, the password or an option's value. */
  @Override
  public String toString() {
    if (hosts.isEmpty()) {
      // Somebody may have forgotten the // before user:password@host.
      return scheme + ":" + (path.contains("@") ? "…" : path);
    }
    String servers = String.join(",", hosts.stream().map(Host::toString).toList());
    return scheme + "://" + servers + (path.isEmpty() ? "" : "/" + path);
  }
}
