package dev.runlane.testinfra.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.Bounds;
import dev.runlane.testinfra.Ports;
import dev.runlane.testinfra.Sql;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.folder.TestFolders;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresMain;
import dev.runlane.testinfra.process.Poll;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only several processes can show. */
@Tag("drill")
class ServerProgramTest {
  @TempDir(factory = TestFolders.class)
  private Path folder;

  @Test
  void a_server_ends_with_its_killed_launcher_even_with_clients_connected() throws Exception {
    try (ServerProgram program = ServerProgram.start()) {
      PostgresAddress address = program.awaitAddress();
      Path temporary = program.awaitFolder();
      try (Connection client = Sql.connect(address)) {
        assertThat(client.isValid(0)).isTrue();

        program.kill();

        assertThat(Poll.until(Bounds.OF_A_WAIT, () -> !Ports.isOpen(address.port())))
            .isTrue();
        assertThat(Poll.until(
                Bounds.OF_A_WAIT, () -> ServerProgram.processesNaming(temporary).isEmpty()))
            .isTrue();
        assertThat(temporary.resolve("data/PG_VERSION")).doesNotExist();
        FolderTree.delete(temporary);
      }
    }
  }

  @Tag("full")
  @Test
  void a_kept_folder_can_be_used_right_after_its_launcher_was_killed() throws Exception {
    try (ServerProgram first = ServerProgram.start("--data", folder.toString())) {
      PostgresAddress address = first.awaitAddress();
      Sql.execute(address, "CREATE TABLE kept AS SELECT 42 AS answer");
      first.kill();
    }

    try (EmbeddedPostgres second = EmbeddedPostgres.builder().dataFolder(folder).start()) {
      assertThat(Sql.column(second.address("postgres"), "SELECT answer FROM kept"))
          .containsExactly("42");
    }
  }

  @Tag("full")
  @Test
  void a_second_process_on_a_folder_in_use_is_refused() throws Exception {
    try (ServerProgram first = ServerProgram.start("--data", folder.toString())) {
      PostgresAddress address = first.awaitAddress();

      try (ServerProgram second = ServerProgram.start("--data", folder.toString())) {
        assertThat(second.remainingOutput())
            .contains(folder + " is in use by process " + first.pid() + ": stop that one first");
        assertThat(second.finish()).isNotZero();
      }
      assertThat(Ports.isOpen(address.port())).isTrue();
    }
  }

  @Test
  void a_server_stops_cleanly_when_its_programs_input_ends() throws Exception {
    try (ServerProgram program = ServerProgram.start("--data", folder.toString())) {
      PostgresAddress address = program.awaitAddress();

      assertThat(program.finish()).isZero();

      assertThat(Ports.isOpen(address.port())).isFalse();
      assertThat(folder.resolve("data/postmaster.pid")).doesNotExist();
      assertThat(folder.resolve("server.log")).content().contains("database system is shut down");
    }
    assertThat(Poll.until(
            Bounds.OF_A_WAIT, () -> ServerProgram.processesNaming(folder).isEmpty()))
        .isTrue();
  }

  @Tag("full")
  @Test
  void processes_that_start_first_at_the_same_time_share_one_unpacked_server() throws Exception {
    Path cache = folder.resolve("cache");
    List<ServerProgram> programs = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        programs.add(ServerProgram.start("--cache", cache.toString()));
      }
      for (ServerProgram program : programs) {
        assertThat(Ports.isOpen(program.awaitAddress().port())).isTrue();
      }
      for (ServerProgram program : programs) {
        assertThat(program.finish()).isZero();
      }
    } finally {
      programs.forEach(ServerProgram::close);
    }
  }

  @Tag("full")
  @Test
  void an_ordinary_user_needs_no_other_user() throws Exception {
    ServerProgram.OrdinaryUser nobody = ServerProgram.OrdinaryUser.owning(folder);
    Path data = folder.resolve("data-of-nobody");

    try (ServerProgram program = ServerProgram.start(
        nobody.account().prefix(),
        nobody.classPath(),
        PostgresMain.class,
        "--data",
        data.toString(),
        "--cache",
        folder.resolve("cache").toString())) {
      PostgresAddress address = program.awaitAddress();

      assertThat(Sql.column(address, "SELECT 1")).containsExactly("1");
      assertThat(Files.getAttribute(data, "unix:uid"))
          .isEqualTo((int) nobody.account().owner());
      assertThat(program.finish()).isZero();
    }
  }
}
