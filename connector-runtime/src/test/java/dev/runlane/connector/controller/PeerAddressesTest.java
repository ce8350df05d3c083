package dev.runlane.connector.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PeerAddressesTest {
  private final PeerAddresses peers = new PeerAddresses(
      List.of("runs-2.example.com", "*.runs.example.com", "fd00::7"), "http://10.0.0.7:8080");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://localhost:8377",
        "http://127.0.0.1:8377",
        "http://127.8.9.1",
        "http://[::1]:8377",
        "https://localhost/below",
        "https://10.0.0.7:9443", // the host that this one itself is reached at
        "https://runs-2.example.com",
        "https://RUNS-2.example.com:8443/below",
        "https://a.runs.example.com",
        "https://a.b.runs.example.com:8443",
        "https://[fd00::7]:8443"
      })
  void loopback_the_own_host_and_peers_are_known(String address) {
    assertThat(peers.isKnown(address)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nowhere",
        "http://",
        "http:///path",
        "//127.0.0.1",
        "ftp://127.0.0.1",
        "file:///etc/passwd",
        "http://127.0.0.1:80@elsewhere.example.com",
        "https://runs-2.example.com@elsewhere.example.com",
        "https://anybody@runs-2.example.com",
        "http://127.0.0.1/latest?",
        "http://127.0.0.1/latest#",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
        "http://127.1",
        "http://169.254.169.254",
        "https://10.0.0.8",
        "https://runs-3.example.com",
        "https://runs.example.com",
        "https://evilruns.example.com",
        "https://runs-2.example.com.example.org",
        "http://127.0.0.1\r\nx: y"
      })
  void any_other_address_is_not_known(String address) {
    assertThat(peers.isKnown(address)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://10.0.0.7:8080", "http://runs-2.example.com", "http://a.runs.example.com"})
  void beyond_this_machine_nobody_is_told_without_encryption(String address) {
    assertThat(peers.isKnown(address)).isFalse();
  }

  @Test
  void hosts_that_are_named_with_http_are_told_without_encryption_too() {
    PeerAddresses inside = new PeerAddresses(List.of("http://*.runs.svc", "http://fd00::9"), null);

    assertThat(inside.isKnown("http://a.runs.svc:8377")).isTrue();
    assertThat(inside.isKnown("https://a.runs.svc:8377")).isTrue();
    assertThat(inside.isKnown("http://[fd00::9]:8377")).isTrue();
    assertThat(inside.isKnown("http://a.runs.svc.example.com")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "http://",
        "http://10.0.0.7:8080",
        "runs-2.example.com:8443",
        "https://runs-2.example.com",
        "runs-2.example.com/",
        " runs-2.example.com",
        "*",
        "runs-*.example.com"
      })
  void a_peer_that_would_never_match_is_refused(String peer) {
    assertThatThrownBy(() -> new PeerAddresses(List.of(peer), null))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  @Test
  void without_peers_and_an_address_of_its_own_loopback_alone_is_known() {
    PeerAddresses alone = new PeerAddresses(List.of(), null);

    assertThat(alone.isKnown("http://127.0.0.1:8377")).isTrue();
    assertThat(alone.isKnown("https://runs-2.example.com")).isFalse();
  }
}
