package dev.runlane.testinfra.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.Ports;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.TestFolders;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class EmbeddedKafkaTest {
  @TempDir(factory = TestFolders.class)
  private Path folder;

  @Tag("drill")
  @Test
  void acknowledged_records_survive_a_kill_and_a_restart_on_the_same_port() throws Exception {
    try (EmbeddedKafka broker = EmbeddedKafka.builder().dataFolder(folder).start()) {
      TestTopic topic = TestTopic.create(broker);
      topic.send("before");
      int port = broker.port();
      long pid = broker.pid();

      broker.kill();

      assertThat(Ports.isOpen(port)).isFalse();
      assertThatThrownBy(broker::pid).isInstanceOf(IllegalStateException.class);

      broker.restart();
      topic.send("after");

      assertThat(broker.port()).isEqualTo(port);
      assertThat(broker.pid()).isNotEqualTo(pid);
      assertThat(topic.read(2)).containsExactly("before", "after");
    }
  }

  @Tag("full")
  @Test
  void a_broker_killed_by_somebody_else_can_be_restarted() throws Exception {
    try (EmbeddedKafka broker = EmbeddedKafka.builder().start()) {
      TestTopic topic = TestTopic.create(broker);
      topic.send("kept");
      ProcessHandle stranger = ProcessHandle.of(broker.pid()).orElseThrow();

      stranger.destroyForcibly();
      stranger.onExit().join();
      broker.restart();

      assertThat(topic.read(1)).containsExactly("kept");
    }
  }

  @Tag("full")
  @Test
  void a_stopped_temporary_broker_has_its_records_when_it_is_restarted() throws Exception {
    try (EmbeddedKafka broker = EmbeddedKafka.builder().temporary().start()) {
      TestTopic topic = TestTopic.create(broker);
      topic.send("kept");

      broker.stop();
      assertThat(Ports.isOpen(broker.port())).isFalse();
      broker.restart();

      assertThat(topic.read(1)).containsExactly("kept");
    }
  }

  @Tag("full")
  @Test
  void a_later_start_on_another_port_finds_the_records_of_a_kept_folder() throws Exception {
    TestTopic topic;
    try (EmbeddedKafka broker = EmbeddedKafka.builder().dataFolder(folder).start()) {
      topic = TestTopic.create(broker);
      topic.send("kept");
    }

    try (EmbeddedKafka broker = EmbeddedKafka.builder().dataFolder(folder).start()) {
      assertThat(new TestTopic(broker.bootstrapServers(), topic.name()).read(1))
          .containsExactly("kept");
    }
  }

  @Test
  void a_second_broker_on_a_folder_in_use_is_refused() {
    try (EmbeddedKafka first = EmbeddedKafka.builder().dataFolder(folder).start()) {
      EmbeddedKafka.Builder second = EmbeddedKafka.builder().dataFolder(folder);

      assertThatThrownBy(second::start)
          .isInstanceOf(ServerException.class)
          .hasMessageContaining(
              folder + " is in use by process " + ProcessHandle.current().pid());
      assertThat(Ports.isOpen(first.port())).isTrue();
    }
  }

  @Test
  void a_port_in_use_is_named() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      EmbeddedKafka.Builder wanted =
          EmbeddedKafka.builder().dataFolder(folder).port(taken.getLocalPort());

      assertThatThrownBy(wanted::start)
          .isInstanceOf(ServerException.class)
          .hasMessageContaining("port " + taken.getLocalPort() + " is in use");
    }
  }

  @Test
  void a_failed_start_shows_the_brokers_own_words_and_leaves_the_folder_free() {
    EmbeddedKafka.Builder impossible =
        EmbeddedKafka.builder().dataFolder(folder).setting("num.io.threads", "none");

    assertThatThrownBy(impossible::start)
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("Invalid value none for configuration num.io.threads");
    try (EmbeddedKafka broker = EmbeddedKafka.builder().dataFolder(folder).start()) {
      assertThat(Ports.isOpen(broker.port())).isTrue();
    }
  }

  @Test
  void a_setting_of_the_launcher_is_refused() {
    EmbeddedKafka.Builder builder = EmbeddedKafka.builder();

    assertThatThrownBy(() -> builder.setting("listeners", "PLAINTEXT://0.0.0.0:9092"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void settings_reach_the_broker() {
    try (EmbeddedKafka broker =
        EmbeddedKafka.builder().setting("message.max.bytes", "2000").start()) {
      assertThatThrownBy(() -> TestTopic.create(broker).send("x".repeat(3000)))
          .hasMessageContaining("RecordTooLargeException");
    }
  }

  @Test
  void nothing_of_the_broker_is_on_this_class_path() {
    assertThatThrownBy(() -> Class.forName("kafka.server.KafkaRaftServer"))
        .isInstanceOf(ClassNotFoundException.class);
  }

  @Test
  void a_closed_temporary_broker_leaves_nothing_and_stays_closed() {
    EmbeddedKafka broker = EmbeddedKafka.builder().start();
    assertThat(broker.folder()).isDirectory();

    broker.close();
    broker.close();

    assertThat(broker.folder()).doesNotExist();
    assertThat(Ports.isOpen(broker.port())).isFalse();
    assertThatThrownBy(broker::restart).isInstanceOf(IllegalStateException.class);
  }
}
