package dev.runlane.testinfra.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.Bounds;
import dev.runlane.testinfra.Ports;
import dev.runlane.testinfra.Sql;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.server.EmbeddedServerCases;
import dev.runlane.testinfra.server.ServerBuilder;
import dev.runlane.testinfra.server.ServerProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class EmbeddedMariadbTest extends EmbeddedServerCases {
  EmbeddedMariadbTest() {
    MariadbMissing.leaveOut(); // here, so that each case is named when it is left out
  }

  @Override
  protected ServerBuilder<?, ?> builder() {
    return EmbeddedMariadb.builder();
  }

  @Override
  protected ServerBuilder<?, ?> impossible() {
    return EmbeddedMariadb.builder().setting("no_such_setting", "1");
  }

  @Override
  protected String refusal() {
    return "unknown variable 'no_such_setting=1'";
  }

  @Test
  @Tag("drill")
  void committed_rows_survive_kills_and_restarts_on_the_same_port() throws Exception {
    try (EmbeddedMariadb server = EmbeddedMariadb.builder().dataFolder(folder).start()) {
      MariadbAddress orders = server.createDatabase("orders");
      Sql.execute(orders, "CREATE TABLE kills (n int)");
      int port = server.port();
      for (int i = 0; i < 2; i++) {
        Sql.execute(orders, "INSERT INTO kills VALUES (" + i + ")");
        long pid = server.pid();

        server.kill();

        assertThat(Ports.isOpen(port)).isFalse();
        assertThatThrownBy(server::pid).isInstanceOf(IllegalStateException.class);
        server.restart();
        assertThat(server.port()).isEqualTo(port);
        assertThat(server.pid()).isNotEqualTo(pid);
      }

      assertThat(Sql.column(orders, "SELECT count(*) FROM kills")).containsExactly("2");
    }
  }

  @Test
  @Tag("full")
  void a_temporary_server_keeps_its_data_while_it_is_stopped_or_killed() throws Exception {
    try (EmbeddedMariadb server = EmbeddedMariadb.builder().start()) {
      MariadbAddress orders = server.createDatabase("orders");
      Sql.execute(orders, "CREATE TABLE kept AS SELECT 42 AS answer");
      for (int i = 0; i < 3; i++) {
        server.stop();
        server.restart();
        server.kill();
        server.restart();
      }

      assertThat(Sql.column(orders, "SELECT answer FROM kept")).containsExactly("42");
    }
  }

  @Test
  @Tag("full")
  void a_server_killed_by_somebody_else_can_be_restarted() throws Exception {
    try (EmbeddedMariadb server = EmbeddedMariadb.builder().start()) {
      ProcessHandle stranger = ProcessHandle.of(server.pid()).orElseThrow();

      stranger.destroyForcibly();
      assertThat(Poll.until(Bounds.OF_A_WAIT, () -> !Ports.isOpen(server.port())))
          .isTrue();
      server.restart();

      assertThat(Sql.column(server.address("mysql"), "SELECT 1")).containsExactly("1");
      assertThat(server.folder()).isDirectory();
    }
  }

  @Test
  @Tag("full")
  void a_later_start_finds_the_data_of_a_kept_folder() throws Exception {
    MariadbAddress orders;
    try (EmbeddedMariadb server = EmbeddedMariadb.builder().dataFolder(folder).start()) {
      orders = server.createDatabase("orders");
      Sql.execute(orders, "CREATE TABLE kept AS SELECT 42 AS answer");
    }
    assertThat(Ports.isOpen(orders.port())).isFalse();

    try (EmbeddedMariadb server = EmbeddedMariadb.builder().dataFolder(folder).start()) {
      assertThat(Sql.column(server.address(orders.database()), "SELECT answer FROM kept"))
          .containsExactly("42");
    }
  }

  @Test
  void settings_and_durability_reach_the_server() throws SQLException {
    String flush = "SELECT @@innodb_flush_log_at_trx_commit";
    try (EmbeddedMariadb kept = EmbeddedMariadb.builder().dataFolder(folder).start();
        EmbeddedMariadb temporary = EmbeddedMariadb.builder()
            .temporary()
            .setting("max_connections", "37")
            .start()) {
      assertThat(Sql.column(kept.address("mysql"), flush)).containsExactly("1");
      assertThat(Sql.column(temporary.address("mysql"), flush)).containsExactly("2");
      assertThat(Sql.column(temporary.address("mysql"), "SELECT @@max_connections"))
          .containsExactly("37");
    }
  }

  @Test
  void nobody_gets_in_without_the_password() throws IOException {
    try (EmbeddedMariadb server = EmbeddedMariadb.builder().start()) {
      for (String user : new String[] {server.user(), "root", "mysql", "nobody"}) {
        for (String password : new String[] {"", "guess"}) {
          MariadbAddress forged =
              new MariadbAddress(server.host(), server.port(), "mysql", user, password);

          assertThatThrownBy(() -> Sql.execute(forged, "SELECT 1"))
              .as(user + " with '" + password + "'")
              .isInstanceOf(SQLException.class)
              .hasMessageContaining("Access denied");
        }
      }
      for (String secret : new String[] {"password", "init.sql"}) {
        assertThat(Files.getPosixFilePermissions(server.folder().resolve(secret)))
            .containsExactlyInAnyOrder(
                PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
      }
    }
  }

  @Test
  @Tag("full")
  void a_closed_temporary_server_leaves_nothing_and_stays_closed() {
    EmbeddedMariadb server = EmbeddedMariadb.builder().start();
    assertThat(server.folder()).isDirectory();

    server.close();
    server.close();

    assertThat(server.folder()).doesNotExist();
    assertThat(Ports.isOpen(server.port())).isFalse();
    assertThatThrownBy(server::restart).isInstanceOf(IllegalStateException.class);
  }

  @Tag("full")
  @Test
  void a_server_ends_with_its_killed_launcher_even_with_clients_connected() throws Exception {
    try (ServerProgram program = ServerProgram.start(
        List.of(), System.getProperty("java.class.path"), MariadbProgram.class)) {
      MariadbAddress address = program.awaitMariadbAddress();
      Path temporary = program.awaitFolder();
      try (Connection client = Sql.connect(address)) {
        assertThat(client.isValid(0)).isTrue();

        program.kill();

        assertThat(Poll.until(
                Bounds.OF_A_WAIT, () -> ServerProgram.processesNaming(temporary).isEmpty()))
            .isTrue();
        assertThat(Ports.isOpen(address.port())).isFalse();
        assertThat(temporary).doesNotExist();
      }
    }
  }

  @Test
  @Tag("full")
  void an_ordinary_user_can_run_it_too() throws Exception {
    ServerProgram.OrdinaryUser nobody = ServerProgram.OrdinaryUser.owning(folder);
    Path data = folder.resolve("data-of-nobody");

    try (ServerProgram program = ServerProgram.start(
        nobody.account().prefix(), nobody.classPath(), MariadbProgram.class, data.toString())) {
      MariadbAddress address = program.awaitMariadbAddress();

      assertThat(Sql.column(address, "SELECT 1")).containsExactly("1");
      assertThat(Files.getAttribute(data, "unix:uid"))
          .isEqualTo((int) nobody.account().owner());
      assertThat(program.finish()).isZero();
      assertThat(Ports.isOpen(address.port())).isFalse();
      assertThat(data.resolve("server.log")).content().contains("Shutdown complete");
    }
  }
}
