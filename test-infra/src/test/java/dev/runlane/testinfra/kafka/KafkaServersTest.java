package dev.runlane.testinfra.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.process.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class KafkaServersTest {

  @Test
  void there_is_one_shared_server_for_the_whole_process() throws Exception {
    TestTopic topic = TestTopic.create(KafkaServers.shared());
    topic.send("hello");

    assertThat(KafkaServers.shared()).isSameAs(KafkaServers.shared());
    assertThat(topic.read(1)).containsExactly("hello");
  }

  @Test
  void a_given_server_is_used_and_not_stopped() {
    KafkaServer somebodys = KafkaServers.shared();
    String nowhere = "127.0.0.1:" + FreePort.find();

    KafkaServer given = KafkaServers.find(nowhere + ", " + somebodys.bootstrapServers());
    given.close();

    assertThat(given.bootstrapServers()).endsWith(somebodys.bootstrapServers());
    assertThat(given.origin()).contains("RUNLANE_TEST_KAFKA");
    KafkaProbe.requireAnswer(somebodys.bootstrapServers());
  }

  @Test
  void a_given_server_that_does_not_answer_is_not_replaced() {
    String nowhere = "127.0.0.1:" + FreePort.find();

    assertThatThrownBy(() -> KafkaServers.find(nowhere))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining(nowhere);
  }

  @Test
  void a_server_of_another_kind_is_no_broker() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> greeting = CompletableFuture.runAsync(() -> greet(other));

      assertThatThrownBy(() -> KafkaServers.find("127.0.0.1:" + other.getLocalPort()))
          .isInstanceOf(ServerException.class)
          .hasMessageContaining("no Kafka broker");
      greeting.join();
    }
  }

  private static void greet(ServerSocket server) {
    try (Socket client = server.accept()) {
      client.getInputStream().readNBytes(14);
      client.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void an_address_without_a_port_is_refused() {
    assertThatThrownBy(() -> KafkaServers.find("localhost"))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("host:port");
  }
}
