package dev.runlane.transport.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What is made of what listens at an address, by its first bytes. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ListenerProtocolTest {
  private static final byte[] ALERT = {0x15, 3, 3, 0, 2, 2, 80};
  private static final byte[] HTTP = "HTTP/1.1 400 \r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] KAFKA =
      ByteBuffer.allocate(14).putInt(10).putInt(0x52_55_4e_4c).array();
  private static final String NOBODY = "localhost:1,"; // no port that systems give away

  @Test
  void clear_text_goes_to_kafka_alone_and_to_who_cannot_be_asked() throws IOException {
    assertThat(refusal(Map.of(), KAFKA)).isNull();
    assertThat(refusal(Map.of(), new byte[0])).isNull();
    assertThat(refusal(Map.of("security.protocol", "${file:/etc/kafka:protocol}"), ALERT))
        .isNull();
    for (String protocol : new String[] {"PLAINTEXT", "SASL_PLAINTEXT"}) {
      assertThat(refusal(Map.of("security.protocol", protocol), ALERT))
          .hasMessageContaining("speaks TLS")
          .hasMessageContaining(protocol);
    }
    assertThat(refusal(Map.of(), HTTP)).hasMessageContaining("does not speak as Kafka does");
  }

  @Test
  void who_speaks_tls_asks_nobody_before_and_is_told_of_clear_text_afterwards() throws IOException {
    Map<String, String> tls = Map.of("security.protocol", "SSL");

    assertThat(refusal(tls, KAFKA)).isNull();
    assertThat(explained(tls, KAFKA).code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(explained(tls, ALERT)).hasMessageContaining("need a security.protocol of SASL_SSL");
    assertThat(explained(Map.of("security.protocol", "SASL_SSL"), ALERT)).hasMessage("in vain");
    assertThat(explained(tls, HTTP)).as("an answer to clear text").hasMessage("in vain");
  }

  private static @Nullable RunlaneException refusal(Map<String, String> properties, byte[] answer)
      throws IOException {
    try (ServerSocket server = answering(answer)) {
      return catchThrowableOfType(
          RunlaneException.class, () -> protocol(server, properties).check());
    }
  }

  private static RunlaneException explained(Map<String, String> properties, byte[] answer)
      throws IOException {
    RunlaneException failure =
        RunlaneException.unavailable(ErrorCode.TRANSPORT_UNAVAILABLE, null, "in vain");
    try (ServerSocket server = answering(answer)) {
      return protocol(server, properties).explained(failure);
    }
  }

  private static ListenerProtocol protocol(ServerSocket server, Map<String, String> properties) {
    return new ListenerProtocol(new KafkaTransportOptions()
        .setBootstrapServers(NOBODY + "127.0.0.1:" + server.getLocalPort())
        .setProperties(properties));
  }

  /** Answers the first who asks, and hangs up. */
  private static ServerSocket answering(byte[] answer) throws IOException {
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
    CompletableFuture.runAsync(() -> {
      try (Socket client = server.accept()) {
        client.getInputStream().readNBytes(14);
        client.getOutputStream().write(answer);
      } catch (IOException nobodyAsked) {
        // the server was closed first
      }
    });
    return server;
  }
}
