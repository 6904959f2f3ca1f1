package io.leasehold.stores;

import io.leasehold.LeaseStore;
import io.leasehold.spi.Finding;
import io.leasehold.spi.LeaseStoreProvider;
import io.leasehold.spi.StoreUrl;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * Opens lease stores by URL.
 *
 * <table>
 * <caption>URLs, and the module that opens each</caption>
 * <tr><td>{@code memory:}</td><td>leasehold-core</td></tr>
 * <tr><td>{@code sqlite:leases.db}, {@code postgresql://}, {@code mysql://}, {@code mariadb://}
 * </td><td>leasehold-jdbc</td></tr>
 * <tr><td>{@code redis://}, {@code rediss://}, {@code redis-sentinel://}, {@code redis-cluster://}
 * </td><td>leasehold-redis</td></tr>
 * <tr><td>{@code mongodb://}, {@code mongodb+srv://}</td><td>leasehold-mongodb</td></tr>
 * </table>
 *
 * <p>The password is taken from the URL; else from the file that the URL's option {@code
 * passwordFile} names; else from the environment variable {@code LEASEHOLD_STORE_PASSWORD}; else
 * from the file that {@code LEASEHOLD_STORE_PASSWORD_FILE} names. It is never shown in an error, a
 * log or a store's text. A password in a URL on a command line is seen in the list of processes;
 * the other three are not.
 *
 * <pre>{@code
 * try (LeaseStore store = LeaseStores.open("postgresql://app@db/ops?table=ops.lease")) { … }
 * }</pre>
 *
 * <p>Stateless and thread-safe.
 */
public final class LeaseStores {

  private static final String MORE = "; see docs/stores.md";

  /** Who opens what, for the sentence that says what to add. */
  private static final Map<String, String> ARTIFACTS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("memory", "leasehold-core"),
              Map.entry("sqlite", "leasehold-jdbc"),
              Map.entry("postgresql", "leasehold-jdbc"),
              Map.entry("mysql", "leasehold-jdbc"),
              Map.entry("mariadb", "leasehold-jdbc"),
              Map.entry("redis", "leasehold-redis"),
              Map.entry("rediss", "leasehold-redis"),
              Map.entry("redis-sentinel", "leasehold-redis"),
              Map.entry("redis-cluster", "leasehold-redis"),
              Map.entry("mongodb", "leasehold-mongodb"),
              Map.entry("mongodb+srv", "leasehold-mongodb")));

  private LeaseStores() {}

  /**
   * Opens a store. What is opened for it is closed with it.
   *
   * @param url where the store is
   * @return the store
   * @throws IllegalArgumentException if the URL cannot be meant so; one line says what is right
   * @throws IllegalStateException if the module that opens such URLs is not there (the message
   *     names it), or the store cannot hold leases as it is set up
   * @throws io.leasehold.LeaseStoreException if the store must answer to be opened, and did not
   */
  public static LeaseStore open(String url) {
    StoreUrl parsed = url(url);
    return provider(parsed.scheme()).open(parsed);
  }

  /**
   * Says what a store will and will not hold to. Changes nothing; a store that does not answer is a
   * finding.
   *
   * @param url where the store is
   * @return the findings, in the order in which they are read; at least one
   * @throws IllegalArgumentException if the URL cannot be meant so; one line says what is right
   * @throws IllegalStateException if the module that opens such URLs is not there
   */
  public static List<Finding> examine(String url) {
    StoreUrl parsed = url(url);
    return provider(parsed.scheme()).examine(parsed);
  }

  /**
   * Reads a URL and finds its password, as {@link #open} does.
   *
   * @param url where a store is
   * @return the URL with its password, if there is one; its text shows none
   * @throws IllegalArgumentException if the URL cannot be meant so, or a file that is named for the
   *     password cannot be read; one line says what is right
   */
  public static StoreUrl url(String url) {
    return new PasswordSource(name -> Optional.ofNullable(System.getenv(name)))
        .complete(StoreUrl.parse(url));
  }

  private static LeaseStoreProvider provider(String scheme) {
    return provider(scheme, ServiceLoader.load(LeaseStoreProvider.class));
  }

  static LeaseStoreProvider provider(String scheme, Iterable<LeaseStoreProvider> providers) {
    for (LeaseStoreProvider each : providers) {
      if (each.schemes().contains(scheme)) {
        return each;
      }
    }
    String artifact = ARTIFACTS.get(scheme);
    if (artifact == null) {
      throw new IllegalArgumentException(
          "no store has URLs of the scheme '"
              + scheme
              + "'; there are "
              + String.join(", ", ARTIFACTS.keySet())
              + MORE);
    }
    throw new IllegalStateException(
        "nothing on the class path opens "
            + scheme
            + ": URLs; add io.leasehold:"
            + artifact
            + MORE);
  }
}
