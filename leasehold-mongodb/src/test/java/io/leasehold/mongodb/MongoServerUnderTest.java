package io.leasehold.mongodb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.leasehold.tck.Capability;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/**
 * The server of a test: the one that {@code LEASEHOLD_MONGODB_URI} names, else mongo-java-server in
 * this process, which keeps its data when it is stopped and started.
 */
final class MongoServerUnderTest implements AutoCloseable {

  private static final Optional<String> GIVEN =
      Optional.ofNullable(System.getenv("LEASEHOLD_MONGODB_URI"));

  private final MemoryBackend backend = new LastingBackend();
  private final String database = "leasehold_test_" + UUID.randomUUID().toString().substring(0, 8);
  private Optional<MongoServer> embedded = Optional.empty();
  private InetSocketAddress address = InetSocketAddress.createUnresolved("given", 1);

  /** Keeps its data when its server stops, as a disk does. */
  private static final class LastingBackend extends MemoryBackend {
    @Override
    public void close() {}
  }

  static MongoServerUnderTest start() {
    MongoServerUnderTest server = new MongoServerUnderTest();
    if (GIVEN.isEmpty()) {
      server.startEmbedded(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }
    return server;
  }

  /** A server of this process's own, also where one was given: for tests that stop it. */
  static MongoServerUnderTest startOwn() {
    MongoServerUnderTest server = new MongoServerUnderTest();
    server.startEmbedded(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return server;
  }

  private void startEmbedded(InetSocketAddress at) {
    MongoServer server = new MongoServer(backend.version(ServerVersion.MONGO_5_0));
    server.bind(at);
    address = server.getLocalAddress();
    embedded = Optional.of(server);
  }

  void stop() {
    embedded.orElseThrow().shutdownNow();
  }

  void startAgain() {
    startEmbedded(address);
  }

  InetSocketAddress address() {
    return address;
  }

  String uri() {
    return embedded.isPresent() ? uri(address.getPort()) : GIVEN.orElseThrow();
  }

  static String uri(int port) {
    return "mongodb://127.0.0.1:" + port;
  }

  String database() {
    return database;
  }

  /** What the conformance suite cannot show on this server. */
  Map<Capability, String> lacks() {
    if (embedded.isPresent()) {
      return Map.of(Capability.SIGNALS, "mongo-java-server has no change streams");
    }
    try (MongoClient client = client()) {
      return client.getDatabase("admin").runCommand(new Document("hello", 1)).containsKey("setName")
          ? Map.of()
          : Map.of(Capability.SIGNALS, "a standalone server has no change streams");
    }
  }

  MongoClient client(CommandListener... listeners) {
    return client(uri(), listeners);
  }

  static MongoClient client(String uri, CommandListener... listeners) {
    MongoClientSettings.Builder settings =
        MongoClientSettings.builder()
            .applyConnectionString(new ConnectionString(uri))
            .applyToClusterSettings(each -> each.serverSelectionTimeout(2, TimeUnit.SECONDS))
            .applyToServerSettings(each -> each.heartbeatFrequency(500, TimeUnit.MILLISECONDS));
    List.of(listeners).forEach(settings::addCommandListener);
    return MongoClients.create(settings.build());
  }

  MongoLeaseStore open() {
    return MongoLeaseStore.builder(client()).database(database).ownClient().build();
  }

  @Override
  public void close() {
    if (embedded.isPresent()) {
      embedded.get().shutdownNow();
    } else {
      try (MongoClient client = client()) {
        client.getDatabase(database).drop();
      }
    }
  }

  /** The commands that were sent, by name. */
  static final class Commands implements CommandListener {
    private final List<String> sent = new CopyOnWriteArrayList<>();

    @Override
    public void commandStarted(CommandStartedEvent event) {
      sent.add(event.getCommandName());
    }

    List<String> sent() {
      return List.copyOf(sent);
    }

    void forget() {
      sent.clear();
    }
  }
}
