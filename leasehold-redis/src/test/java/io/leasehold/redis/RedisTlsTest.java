package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.AcquireAnswer.Granted;
import io.leasehold.LeaseName;
import io.leasehold.LeaseStoreException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS, with a certificate made for the test. It takes a redis-server of the system's. */
class RedisTlsTest {

  /** The first use of TLS loads much, and the machine may be busy. */
  private static final RedisLeaseOptions PATIENT =
      RedisLeaseOptions.defaults().timeout(Duration.ofSeconds(30));

  private static final String PASSWORD = "for-this-test-only";

  @Test
  void aStoreSpeaksTlsAndRefusesACertificateItDoesNotTrust(@TempDir Path folder) throws Exception {
    SystemPrograms.require("redis-server");
    Path trusted = keyStore(folder.resolve("trusted.p12"));
    Path other = keyStore(folder.resolve("other.p12"));
    String certificate = pem(folder.resolve("server.crt"), "CERTIFICATE", certificate(trusted));
    String key = pem(folder.resolve("server.key"), "PRIVATE KEY", key(trusted));
    try (RedisProcess server =
        RedisProcess.startedAs(
            List.of("redis-server"),
            Map.of(),
            "--tls-port",
            "" + RedisProcess.freePort(),
            "--tls-cert-file",
            certificate,
            "--tls-key-file",
            key,
            "--tls-ca-cert-file",
            certificate,
            "--tls-auth-clients",
            "no")) {
      String port = server.commands().configGet("tls-port").getOrDefault("tls-port", "");
      RedisURI uri = RedisURI.create("rediss://127.0.0.1:" + port);
      assertThat(grantedThrough(uri, trusted)).isTrue();
      assertThatThrownBy(() -> grantedThrough(uri, other)).isInstanceOf(LeaseStoreException.class);
      // And the platform's own trust, which a URL alone gives.
      try (RedisLeaseStore store = RedisLeaseStore.open(uri, PATIENT)) {
        assertThatThrownBy(() -> store.read(LeaseName.of("x")))
            .isInstanceOf(LeaseStoreException.class)
            .hasMessageContaining("could not connect");
      }
    }
  }

  private static boolean grantedThrough(RedisURI uri, Path trust) {
    RedisClient client = RedisClient.create();
    client.setOptions(
        ClientOptions.builder()
            .sslOptions(
                SslOptions.builder().jdkSslProvider().truststore(trust.toFile(), PASSWORD).build())
            .build());
    try (RedisLeaseStore store = RedisLeaseStore.of(client, uri, PATIENT)) {
      return store.acquire(LeaseName.of("x"), "a", "attempt", Duration.ofMinutes(1))
          instanceof Granted;
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  private static Path keyStore(Path file) throws Exception {
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
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    // A trust store holds certificates, not keys: the same file serves when both are asked for.
    KeyStore store = loaded(file);
    store.setCertificateEntry("trusted", store.getCertificate("server"));
    try (var out = Files.newOutputStream(file)) {
      store.store(out, PASSWORD.toCharArray());
    }
    return file;
  }

  private static KeyStore loaded(Path file) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }

  private static byte[] certificate(Path file) throws Exception {
    return loaded(file).getCertificate("server").getEncoded();
  }

  private static byte[] key(Path file) throws Exception {
    Key key = loaded(file).getKey("server", PASSWORD.toCharArray());
    return key.getEncoded();
  }

  private static String pem(Path file, String what, byte[] content) throws Exception {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN " + what + "-----\n" + base64 + "\n-----END " + what + "-----\n");
    return file.toString();
  }
}
