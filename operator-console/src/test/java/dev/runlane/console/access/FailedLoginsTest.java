package dev.runlane.console.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.console.answer.ApiRefusal;
import io.vertx.core.net.SocketAddress;
import java.time.Instant;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FailedLoginsTest {
  private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");

  private final Instant[] now = {NOON};
  private final FailedLogins logins = new FailedLogins(2, () -> now[0]);

  @Test
  void addresses_of_one_network_of_64_bits_count_together_however_they_are_written() {
    logins.failed(from("2001:db8:0:7::1"));
    logins.failed(from("2001:db8:0:7:ffff:1:2:3"));

    assertRefused("2001:db8:0:7::5");
    logins.check(from("2001:db8:0:8::1"));
  }

  @Test
  void an_address_of_ipv4_counts_for_itself_and_is_heard_again_after_a_minute() {
    logins.failed(from("203.0.113.7"));
    logins.failed(from("203.0.113.7"));

    assertRefused("203.0.113.7");
    logins.check(from("203.0.113.8"));
    now[0] = NOON.plusSeconds(60);
    logins.check(from("203.0.113.7"));
  }

  @Test
  void no_more_addresses_are_remembered_than_a_bound() {
    for (int i = 0; i <= FailedLogins.MOST_ADDRESSES; i++) {
      logins.failed(from("10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255)));
    }

    assertThat(logins.size()).isEqualTo(FailedLogins.MOST_ADDRESSES);
  }

  private void assertRefused(String address) {
    assertThatThrownBy(() -> logins.check(from(address))).isInstanceOf(ApiRefusal.class);
  }

  private static SocketAddress from(String address) {
    return SocketAddress.inetSocketAddress(1_024, address);
  }
}
