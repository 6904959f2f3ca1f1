package io.leasehold.mergegate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/**
 * Signs as a GitHub App: a short-lived JWT buys an installation token, which is used for its whole
 * life. A new one sooner would cost a request, and every ETag with it, since those belong to the
 * token.
 */
final class AppCredentials implements Credentials {

  /** GitHub takes ten minutes at most, counted by its own clock. */
  private static final Duration JWT_LIFE = Duration.ofMinutes(9);

  private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);

  /** Below this a token might end between being signed with and arriving. */
  private static final Duration LAST_USE = Duration.ofSeconds(30);

  private record Token(String authorization, Instant expires) {}

  private final ForgeClient forge;
  private final InstantSource clock;
  private final String appId;
  private final PrivateKey key;
  private final Map<String, Long> installations = new HashMap<>();
  private final Map<Long, Token> tokens = new HashMap<>();

  AppCredentials(ForgeClient forge, InstantSource clock, String appId, PrivateKey key) {
    this.forge = forge;
    this.clock = clock;
    this.appId = appId;
    this.key = key;
  }

  /** Called by the one thread that sweeps. */
  @Override
  public String authorization(String repository) throws ForgeException, InterruptedException {
    long installation = installation(repository);
    Token known = tokens.get(installation);
    if (known == null || !clock.instant().isBefore(known.expires().minus(LAST_USE))) {
      known = mint(installation);
      tokens.put(installation, known);
    }
    return known.authorization();
  }

  private long installation(String repository) throws ForgeException, InterruptedException {
    String owner = repository.substring(0, repository.indexOf('/'));
    Long known = installations.get(owner);
    if (known != null) {
      return known;
    }
    long id =
        forge
            .get(jwt(), "repos/" + repository + "/installation")
            .map(answer -> answer.path("id").asLong())
            .orElseThrow(() -> new ForgeException("the app is not installed for " + repository));
    installations.put(owner, id);
    return id;
  }

  private Token mint(long installation) throws ForgeException, InterruptedException {
    JsonNode answer =
        forge.post(
            jwt(),
            "app/installations/" + installation + "/access_tokens",
            JsonNodeFactory.instance.objectNode());
    return new Token(
        "Bearer " + answer.path("token").asText(),
        Instant.parse(answer.path("expires_at").asText()));
  }

  private String jwt() throws ForgeException {
    Instant now = clock.instant();
    String head = base64("{\"alg\":\"RS256\",\"typ\":\"JWT\"}");
    String claims =
        base64(
            "{\"iat\":%d,\"exp\":%d,\"iss\":\"%s\"}"
                .formatted(
                    now.minus(CLOCK_SKEW).getEpochSecond(),
                    now.plus(JWT_LIFE).getEpochSecond(),
                    appId));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key);
      signature.update((head + "." + claims).getBytes(StandardCharsets.US_ASCII));
      return "Bearer "
          + head
          + "."
          + claims
          + "."
          + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new ForgeException("the app's private key cannot sign", e);
    }
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
