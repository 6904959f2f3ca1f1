package io.leasehold.mongodb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.leasehold.LeaseStore;
import io.leasehold.spi.Finding;
import io.leasehold.spi.LeaseStoreProvider;
import io.leasehold.spi.StoreUrl;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Opens {@code mongodb://} and {@code mongodb+srv://}. The path is the database, {@code leasehold}
 * if there is none. Options of Leasehold's: {@code collection} ({@code leases}), {@code signals}
 * ({@code on}), {@code callTimeoutMs} (5000); every other option is the driver's, {@code tls} and
 * {@code authSource} among them.
 *
 * <p>Stateless and thread-safe.
 */
public final class MongoStoreProvider implements LeaseStoreProvider {

  private static final String COLLECTION = "collection";
  private static final String SIGNALS = "signals";
  private static final String CALL_TIMEOUT = "callTimeoutMs";

  /** For the service loader. */
  public MongoStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("mongodb", "mongodb+srv");
  }

  @Override
  public LeaseStore open(StoreUrl url) {
    MongoClient client = client(url);
    try {
      return builder(client, url).ownClient().build();
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  @Override
  public List<Finding> examine(StoreUrl url) {
    try (MongoClient client = client(url)) {
      return builder(client, url).examine(url.isOn(SIGNALS, true));
    }
  }

  private static MongoLeaseStore.Builder builder(MongoClient client, StoreUrl url) {
    return MongoLeaseStore.builder(client)
        .database(url.path().isEmpty() ? "leasehold" : url.path())
        .collection(url.option(COLLECTION).orElse("leases"))
        .signals(url.isOn(SIGNALS, true))
        .callTimeout(callTimeout(url));
  }

  private static Duration callTimeout(StoreUrl url) {
    String millis = url.option(CALL_TIMEOUT).orElse("5000");
    if (!millis.matches("[0-9]{1,7}")) {
      throw new IllegalArgumentException(
          "the option " + CALL_TIMEOUT + " is a number of milliseconds, 1 to 3600000");
    }
    return Duration.ofMillis(Long.parseLong(millis));
  }

  private static MongoClient client(StoreUrl url) {
    String connectionString = connectionString(url);
    try {
      return MongoClients.create(
          MongoClientSettings.builder()
              .applicationName("leasehold")
              .applyConnectionString(new ConnectionString(connectionString))
              .build());
    } catch (IllegalArgumentException | MongoException e) {
      // The driver's message may quote the connection string, so neither it nor the cause is shown
      // where it has the password.
      String message = String.valueOf(e.getMessage());
      boolean safe =
          url.password()
              .filter(each -> message.contains(each) || message.contains(encoded(each)))
              .isEmpty();
      throw new IllegalArgumentException(
          "the store URL "
              + url
              + " is not one that the MongoDB driver takes"
              + (safe ? ": " + message : "; write mongodb://user:password@host:27017/database"));
    }
  }

  private static String connectionString(StoreUrl url) {
    StringBuilder text = new StringBuilder(url.requireHost().scheme()).append("://");
    if (url.user().isPresent()) {
      text.append(encoded(url.user().get()));
      url.password().ifPresent(password -> text.append(':').append(encoded(password)));
      text.append('@');
    } else if (url.password().isPresent()) {
      throw new IllegalArgumentException(
          "the store URL " + url + " has a password and no user; write mongodb://user@host");
    }
    text.append(String.join(",", url.hosts().stream().map(StoreUrl.Host::toString).toList()));
    text.append('/').append(encoded(url.path()));
    char separator = '?';
    for (Map.Entry<String, String> each :
        url.without(COLLECTION, SIGNALS, CALL_TIMEOUT).options().entrySet()) {
      text.append(separator).append(each.getKey()).append('=').append(encoded(each.getValue()));
      separator = '&';
    }
    return text.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
