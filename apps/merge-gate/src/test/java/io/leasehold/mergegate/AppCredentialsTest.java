package io.leasehold.mergegate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.http.RequestMeter;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPrivateKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class AppCredentialsTest {

  private final MovableClock clock = new MovableClock();

  private static KeyPair keys() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return generator.generateKeyPair();
  }

  @Test
  void anInstallationsTokenIsUsedForItsWholeLifeAndNoLonger() throws Exception {
    RequestMeter meter = RequestMeter.builder("forge").clock(clock).build();
    try (FakeForge forge = new FakeForge(clock, 5_000, Duration.ofHours(1));
        ForgeClient client =
            new ForgeClient(
                forge.url(), meter, clock, new ForgeClient.Options("app", true, true))) {
      AppCredentials credentials = new AppCredentials(client, clock, "123", keys().getPrivate());

      String first = credentials.authorization("octo/widgets");
      clock.advance(Duration.ofMinutes(59));
      assertThat(credentials.authorization("octo/gadgets")).isEqualTo(first);
      assertThat(forge.tokensMinted()).isEqualTo(1);

      clock.advance(Duration.ofSeconds(31));
      assertThat(credentials.authorization("octo/widgets")).isNotEqualTo(first);
      assertThat(forge.tokensMinted()).isEqualTo(2);
      assertThat(meter.snapshot().requests()).as("minting is counted too").isEqualTo(3);
    }
  }

  @Test
  void aKeyIsReadAsGithubHandsItOutAndAsOthersDo() throws Exception {
    RSAPrivateKey key = (RSAPrivateKey) keys().getPrivate();
    byte[] pkcs8 = key.getEncoded();
    // The PKCS#1 key is the content of the octet string after 26 bytes of header.
    byte[] pkcs1 = Arrays.copyOfRange(pkcs8, 26, pkcs8.length);

    assertThat(PemKey.parse(pem("PRIVATE KEY", pkcs8))).isEqualTo(key);
    assertThat(PemKey.parse(pem("RSA PRIVATE KEY", pkcs1))).isEqualTo(key);
    assertThatThrownBy(() -> PemKey.parse("nonsense"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PEM");
  }

  private static String pem(String kind, byte[] der) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder().encodeToString(der)
        + "\n-----END "
        + kind
        + "-----\n";
  }
}
