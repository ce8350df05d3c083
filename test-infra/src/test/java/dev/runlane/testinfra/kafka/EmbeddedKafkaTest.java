package dev.runlane.testinfra.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.Bounds;
import dev.runlane.testinfra.Ports;
import dev.runlane.testinfra.server.EmbeddedServerCases;
import dev.runlane.testinfra.server.ServerBuilder;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class EmbeddedKafkaTest extends EmbeddedServerCases {
  @Override
  protected ServerBuilder<?, ?> builder() {
    return EmbeddedKafka.builder();
  }

  @Override
  protected ServerBuilder<?, ?> impossible() {
    return EmbeddedKafka.builder().setting("num.io.threads", "none");
  }

  @Override
  protected String refusal() {
    return "Invalid value none for configuration num.io.threads";
  }

  @Tag("drill")
  @Test
  void acknowledged_records_and_settings_survive_a_kill_and_a_restart_on_the_same_port()
      throws Exception {
    try (EmbeddedKafka broker = EmbeddedKafka.builder()
        .dataFolder(folder)
        .setting("message.max.bytes", "2000")
        .start()) {
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
      assertThatThrownBy(() -> topic.send("x".repeat(3000)))
          .hasMessageContaining("RecordTooLargeException");
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
  void a_setting_of_the_launcher_is_refused() {
    EmbeddedKafka.Builder builder = EmbeddedKafka.builder();

    assertThatThrownBy(() -> builder.setting("listeners", "PLAINTEXT://0.0.0.0:9092"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_further_listener_has_an_address_of_its_own() {
    EmbeddedKafka.Builder builder = EmbeddedKafka.builder();
    assertThatThrownBy(() -> builder.listener("CONTROLLER", "SSL"))
        .isInstanceOf(IllegalArgumentException.class);

    try (EmbeddedKafka broker = builder.listener("SECOND", "PLAINTEXT").start()) {
      assertThat(broker.bootstrapServers("SECOND")).isNotEqualTo(broker.bootstrapServers());
      KafkaProbe.requireAnswer(broker.bootstrapServers("SECOND"));
      assertThatThrownBy(() -> broker.bootstrapServers("THIRD"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Tag("full")
  @Test
  void a_second_broker_of_a_cluster_takes_topics_of_two_copies() {
    try (EmbeddedKafka first = EmbeddedKafka.builder().start();
        EmbeddedKafka second = first.startSecond();
        Admin admin = Admin.create(Map.of(
            AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, (Object) second.bootstrapServers()))) {
      assertThat(admin
              .createTopics(List.of(new NewTopic("two", 1, (short) 2)))
              .all()
              .toCompletionStage()
              .toCompletableFuture())
          .succeedsWithin(Bounds.OF_A_WAIT);
    }
  }

  @Test
  void nothing_of_the_broker_is_on_this_class_path() {
    assertThatThrownBy(() -> Class.forName("kafka.server.KafkaRaftServer"))
        .isInstanceOf(ClassNotFoundException.class);
  }

  @Tag("full")
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
