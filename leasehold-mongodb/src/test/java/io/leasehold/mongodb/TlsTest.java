package io.leasehold.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.leasehold.AcquireAnswer;
import io.leasehold.LeaseName;
import io.leasehold.spi.Finding;
import io.leasehold.spi.StoreUrl;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that speaks TLS only, with a certificate of its own making. */
class TlsTest {

  private static final char[] SECRET = "for-this-run".toCharArray();

  private final MongoServer server =
      new MongoServer(new MemoryBackend().version(ServerVersion.MONGO_5_0));

  @TempDir private Path directory = Path.of(".");
  private InetSocketAddress address = InetSocketAddress.createUnresolved("none", 1);

  @BeforeEach
  void start() throws Exception {
    KeyStore keys = keys();
    server.enableSsl(
        (PrivateKey) keys.getKey("server", SECRET),
        null,
        (X509Certificate) keys.getCertificate("server"));
    address = server.bind();
  }

  @AfterEach
  void stop() {
    server.shutdownNow();
  }

  @Test
  void aClientThatTrustsTheServerIsServed() throws Exception {
    SSLContext trusting = SSLContext.getInstance("TLS");
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(keys());
    trusting.init(null, trust.getTrustManagers(), null);
    MongoClientSettings settings =
        MongoClientSettings.builder()
            .applyToClusterSettings(
                each -> each.hosts(List.of(new ServerAddress("127.0.0.1", address.getPort()))))
            .applyToSslSettings(each -> each.enabled(true).context(trusting))
            .build();
    try (MongoClient client = MongoClients.create(settings);
        MongoLeaseStore store = MongoLeaseStore.builder(client).build()) {
      assertThat(store.acquire(LeaseName.of("job"), "alice", "a1", Duration.ofMinutes(1)))
          .isInstanceOf(AcquireAnswer.Granted.class);
    }
  }

  /** By URL the JVM's trust store decides, and that does not know this server. */
  @Test
  void aServerThatIsNotTrustedIsAFailure() {
    assertThat(level("tls=true&callTimeoutMs=1500")).isEqualTo(Finding.Level.FAIL);
    assertThat(level("callTimeoutMs=1500")).isEqualTo(Finding.Level.FAIL);
  }

  private Finding.Level level(String options) {
    StoreUrl url = StoreUrl.parse("mongodb://127.0.0.1:" + address.getPort() + "/ops?" + options);
    return new MongoStoreProvider().examine(url).get(0).level();
  }

  private KeyStore keys() throws IOException, GeneralSecurityException, InterruptedException {
    Path file = directory.resolve("server.p12");
    if (Files.notExists(file)) {
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  "server",
                  "-keyalg",
                  "EC",
                  "-dname",
                  "CN=localhost",
                  "-ext",
                  "san=ip:127.0.0.1",
                  "-validity",
                  "2",
                  "-storetype",
                  "PKCS12",
                  "-keystore",
                  file.toString(),
                  "-storepass",
                  new String(SECRET))
              .inheritIO()
              .start();
      assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(keytool.exitValue()).isZero();
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, SECRET);
    }
    return keys;
  }
}
