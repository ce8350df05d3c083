package dev.runlane.testinfra.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.Bounds;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.folder.TestFolders;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.server.ServerProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only several processes can show. */
@Tag("drill")
class KafkaProgramTest {
  @TempDir(factory = TestFolders.class)
  private Path folder;

  @Test
  void a_temporary_broker_ends_with_its_killed_launcher_and_leaves_nothing() throws Exception {
    try (ServerProgram program = ServerProgram.startKafka()) {
      String address = program.awaitBootstrapServers();
      Path temporary = program.awaitFolder();
      TestTopic topic = new TestTopic(address, "anything");
      assertThat(ServerProgram.processesNaming(temporary)).isNotEmpty();
      KafkaProbe.requireAnswer(topic.bootstrapServers());

      program.kill();

      assertThat(Poll.until(
              Bounds.OF_A_WAIT, () -> ServerProgram.processesNaming(temporary).isEmpty()))
          .isTrue();
      assertThat(temporary.resolve("data/meta.properties")).doesNotExist();
      FolderTree.delete(temporary);
    }
  }

  @Tag("full")
  @Test
  void a_kept_folder_and_its_port_can_be_used_right_after_the_launcher_was_killed()
      throws Exception {
    TestTopic topic;
    int port;
    try (ServerProgram first = ServerProgram.startKafka("--data", folder.toString())) {
      String address = first.awaitBootstrapServers();
      port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
      topic = TestTopic.create(new GivenKafka(address, "", () -> {}));
      topic.send("kept");
      first.kill();
    }

    try (EmbeddedKafka second =
        EmbeddedKafka.builder().dataFolder(folder).port(port).start()) {
      assertThat(topic.read(1)).containsExactly("kept");
      assertThat(second.bootstrapServers()).isEqualTo(topic.bootstrapServers());
    }
  }

  @Tag("full")
  @Test
  void a_broker_stops_cleanly_when_its_programs_input_ends() throws Exception {
    try (ServerProgram program = ServerProgram.startKafka("--data", folder.toString())) {
      program.awaitBootstrapServers();

      assertThat(program.finish()).isZero();

      // Written by a clean stop alone: the next start then recovers nothing.
      assertThat(folder.resolve("data/.kafka_cleanshutdown")).exists();
    }
    assertThat(ServerProgram.processesNaming(folder)).isEmpty();
  }

  @Tag("full")
  @Test
  void an_ordinary_user_runs_a_broker() throws Exception {
    ServerProgram.OrdinaryUser nobody = ServerProgram.OrdinaryUser.owning(folder);
    Path data = folder.resolve("data-of-nobody");

    try (ServerProgram program = ServerProgram.start(
        nobody.account().prefix(),
        nobody.classPath(),
        KafkaMain.class,
        "--data",
        data.toString(),
        "--cache",
        folder.resolve("cache").toString())) {
      TestTopic topic =
          TestTopic.create(new GivenKafka(program.awaitBootstrapServers(), "", () -> {}));
      topic.send("hello");

      assertThat(topic.read(1)).containsExactly("hello");
      assertThat(Files.getAttribute(data, "unix:uid"))
          .isEqualTo((int) nobody.account().owner());
      assertThat(program.finish()).isZero();
    }
  }
}
