package io.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUrlTest {

  @Test
  void aServersUrlIsReadInItsParts() {
    StoreUrl url =
        StoreUrl.parse(
            "postgresql://app:p%40ss%2Fword@db1.example:5433,[::1]:5434,db3/ops?table=ops.lease"
                + "&sslmode=verify-full&note=a%26b+c");
    assertThat(url.scheme()).isEqualTo("postgresql");
    assertThat(url.user()).contains("app");
    assertThat(url.password()).contains("p@ss/word");
    assertThat(url.hosts().stream().map(StoreUrl.Host::toString))
        .containsExactly("db1.example:5433", "[::1]:5434", "db3");
    assertThat(url.hosts().get(1).name()).isEqualTo("::1");
    assertThat(url.path()).isEqualTo("ops");
    assertThat(url.options())
        .isEqualTo(Map.of("table", "ops.lease", "sslmode", "verify-full", "note", "a&b+c"));
    assertThat(url.without("table").option("table")).isEmpty();
    assertThat(url).hasToString("postgresql://db1.example:5433,[::1]:5434,db3/ops");
  }

  @Test
  void aStoreWithoutAServerHasAPath() {
    StoreUrl relative = StoreUrl.parse("sqlite:data/leases.db?signals=off");
    assertThat(relative.hosts()).isEmpty();
    assertThat(relative.path()).isEqualTo("data/leases.db");
    assertThat(relative.isOn("signals", true)).isFalse();
    assertThat(relative.isOn("other", true)).isTrue();
    assertThat(StoreUrl.parse("sqlite:/var/lib/leases.db").path()).isEqualTo("/var/lib/leases.db");
    assertThat(StoreUrl.parse("memory:").path()).isEmpty();
  }

  @Test
  void aPasswordMayBeGivenElsewhere() {
    StoreUrl url = StoreUrl.parse("redis://default@cache:6379/0");
    assertThat(url.password()).isEmpty();
    assertThat(url.withPassword("secret").password()).contains("secret");
    assertThat(url.withPassword("secret")).hasToString("redis://cache:6379/0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "localhost:6379",
        "POSTGRESQL://host/db",
        "://host",
        "redis://",
        "redis:///0",
        "redis://u:hunter2@",
        "redis://u:hunter2@host:port",
        "redis://u:hunter2@host:0",
        "redis://u:hunter2@host:65536",
        "redis://u:hunter2@host:99999999999",
        "redis://u:hunter2@ho st",
        "redis://u:hunter2%@host",
        "redis://u:hunter2%zz@host",
        "redis://u:hun/hunter2@host/0",
        "redis://u:12/hunter2@host/0",
        "redis://u:12?hunter2@host/0",
        "redis://u:hunter2@host/0?hunter2",
        "redis://u:hunter2@host/0?a=hunter2&a=hunter2",
        "redis://u:hunter2@host/0?=hunter2",
        "redis://u:hunter2@[::1/0",
      })
  void whatIsNoUrlIsRefusedInOneLineThatShowsNoPassword(String text) {
    if (text.equals("localhost:6379")) {
      // Looks like a scheme; who opens it finds that nobody knows it.
      assertThat(StoreUrl.parse(text).scheme()).isEqualTo("localhost");
      return;
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StoreUrl.parse(text))
        .satisfies(
            e -> {
              assertThat(e.getMessage()).doesNotContain("hunter2").doesNotContain("\n");
              assertThat(e.getMessage()).contains("store URL");
              assertThat(e.getCause()).isNull();
            });
  }

  @Test
  void aForgottenDoubleSlashShowsNothingEither() {
    assertThat(StoreUrl.parse("postgresql:app:hunter2@host/db")).hasToString("postgresql:…");
  }

  @Property(tries = 500)
  void noPasswordIsEverShown(
      @ForAll("passwords") String password, @ForAll("schemes") String scheme) {
    String encoded = URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20");
    StoreUrl url = StoreUrl.parse(scheme + "://app:" + encoded + "@host:1/db?x=" + encoded);
    assertThat(url.password()).contains(password);
    assertThat(url.toString()).doesNotContain(password).doesNotContain(encoded);
    assertThat(url.withPassword(password).without("x").toString()).doesNotContain(password);
  }

  /** Whoever forgets to encode a password is told so, or served, but it is never shown. */
  @Property(tries = 1_000)
  void noUnencodedPasswordIsEverShown(
      @ForAll("passwords") String password, @ForAll("schemes") String scheme) {
    try {
      StoreUrl url = StoreUrl.parse(scheme + "://app:" + password + "@host:1/db");
      assertThat(url.toString()).doesNotContain(password);
    } catch (IllegalArgumentException e) {
      assertThat(e.toString()).doesNotContain(password);
    }
  }

  /** Long enough and marked, so that it is no part of a message by chance. */
  @Provide
  Arbitrary<String> passwords() {
    return Arbitraries.strings()
        .ofMinLength(0)
        .ofMaxLength(12)
        .withCharRange(' ', '~')
        .withChars('é', '世', '\u0000', '\n')
        .map(text -> "Q" + text + "7Zx");
  }

  @Provide
  Arbitrary<String> schemes() {
    return Arbitraries.of(List.of("postgresql", "mysql", "redis", "mongodb+srv", "redis-cluster"));
  }
}
