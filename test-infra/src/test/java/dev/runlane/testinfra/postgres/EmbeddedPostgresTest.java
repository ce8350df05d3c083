package dev.runlane.testinfra.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.Bounds;
import dev.runlane.testinfra.Ports;
import dev.runlane.testinfra.Sql;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.server.EmbeddedServerCases;
import dev.runlane.testinfra.server.ServerBuilder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class EmbeddedPostgresTest extends EmbeddedServerCases {
  @Override
  protected ServerBuilder<?, ?> builder() {
    return EmbeddedPostgres.builder();
  }

  @Override
  protected ServerBuilder<?, ?> impossible() {
    return EmbeddedPostgres.builder().setting("max_connections", "no_number");
  }

  @Override
  protected String refusal() {
    return "invalid value for parameter \"max_connections\"";
  }

  @Test
  void committed_rows_survive_kills_and_restarts_on_the_same_port() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().dataFolder(folder).start()) {
      PostgresAddress orders = server.createDatabase("orders");
      Sql.execute(orders, "CREATE TABLE kept AS SELECT 42 AS answer");
      int port = server.port();
      long pid = server.pid();

      server.kill();

      assertThat(Ports.isOpen(port)).isFalse();
      assertThatThrownBy(server::pid).isInstanceOf(IllegalStateException.class);

      server.restart();

      assertThat(server.port()).isEqualTo(port);
      assertThat(server.pid()).isNotEqualTo(pid);
      assertThat(Sql.column(orders, "SELECT answer FROM kept")).containsExactly("42");

      Path pidFile = folder.resolve("data/postmaster.pid");
      List<String> lines = Files.readAllLines(pidFile);
      server.kill();
      lines.set(0, String.valueOf(ProcessHandle.current().pid()));
      Files.write(pidFile, lines);

      server.restart();

      assertThat(Ports.isOpen(server.port()))
          .as("a pid of another program is no server's")
          .isTrue();
    }
  }

  @Test
  void a_standby_has_what_was_committed_refuses_changes_and_takes_over_when_promoted()
      throws Exception {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start()) {
      PostgresAddress orders = primary.createDatabase("orders");
      Sql.execute(orders, "CREATE TABLE kept AS SELECT 1 AS n");
      try (EmbeddedPostgres standby = primary.startStandby()) {
        PostgresAddress copy = standby.address(orders.database());
        Sql.execute(orders, "INSERT INTO kept VALUES (2)");
        assertThatThrownBy(() -> Sql.execute(copy, "INSERT INTO kept VALUES (3)"))
            .isInstanceOfSatisfying(SQLException.class, refused -> assertThat(refused.getSQLState())
                .isEqualTo("25006"));

        primary.kill();
        standby.promote();
        Sql.execute(copy, "INSERT INTO kept VALUES (4)");

        assertThat(Sql.column(copy, "SELECT n FROM kept ORDER BY n"))
            .containsExactly("1", "2", "4");
        try (EmbeddedPostgres next = standby.startStandby()) {
          Sql.execute(copy, "INSERT INTO kept VALUES (5)");
          standby.kill();
          next.promote();
          assertThat(Sql.column(next.address(orders.database()), "SELECT n FROM kept ORDER BY n"))
              .containsExactly("1", "2", "4", "5");
        }
      }
    }
  }

  @Tag("full")
  @Test
  void many_kills_in_a_row_are_survived() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
      PostgresAddress orders = server.createDatabase("orders");
      Sql.execute(orders, "CREATE TABLE kills (n int)");
      for (int i = 0; i < 5; i++) {
        Sql.execute(orders, "INSERT INTO kills VALUES (" + i + ")");
        server.kill();
        server.restart();
      }

      assertThat(Sql.column(orders, "SELECT count(*) FROM kills")).containsExactly("5");
    }
  }

  @Tag("full")
  @Test
  void a_server_killed_by_somebody_else_can_be_restarted() throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
      PostgresAddress orders = server.createDatabase("orders");
      ProcessHandle stranger = ProcessHandle.of(server.pid()).orElseThrow();

      stranger.destroyForcibly();
      assertThat(Poll.until(Bounds.OF_A_WAIT, () -> !Ports.isOpen(server.port())))
          .isTrue();
      server.restart();

      assertThat(Sql.column(orders, "SELECT 1")).containsExactly("1");
      assertThat(server.folder()).isDirectory();
    }
  }

  @Tag("full")
  @Test
  void a_later_start_finds_the_data_of_a_kept_folder() throws Exception {
    PostgresAddress orders;
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().dataFolder(folder).start()) {
      orders = server.createDatabase("orders");
      Sql.execute(orders, "CREATE TABLE kept AS SELECT 42 AS answer");
    }
    assertThat(Ports.isOpen(orders.port())).isFalse();

    try (EmbeddedPostgres server = EmbeddedPostgres.builder().dataFolder(folder).start()) {
      assertThat(Sql.column(server.address(orders.database()), "SELECT answer FROM kept"))
          .containsExactly("42");
    }
  }

  @Test
  void settings_and_durability_reach_the_server() throws SQLException {
    try (EmbeddedPostgres kept = EmbeddedPostgres.builder().dataFolder(folder).start();
        EmbeddedPostgres temporary = EmbeddedPostgres.builder()
            .temporary()
            .setting("max_connections", "37")
            .start()) {
      assertThat(Sql.column(kept.address("postgres"), "SHOW fsync")).containsExactly("on");
      assertThat(Sql.column(temporary.address("postgres"), "SHOW fsync")).containsExactly("off");
      assertThat(Sql.column(temporary.address("postgres"), "SHOW max_connections"))
          .containsExactly("37");
    }
  }

  @Test
  void a_server_is_reached_over_127_0_0_1_alone_and_refuses_a_wrong_password() throws IOException {
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
      new Socket("127.0.0.1", server.port()).close();
      PostgresAddress forged =
          new PostgresAddress(server.host(), server.port(), "postgres", server.user(), "guess");

      assertThatThrownBy(() -> new Socket("127.0.0.2", server.port()).close())
          .isInstanceOf(ConnectException.class);
      assertThatThrownBy(() -> Sql.execute(forged, "SELECT 1"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("password authentication failed");
    }
  }

  @Test
  void a_closed_temporary_server_leaves_nothing_and_stays_closed() {
    EmbeddedPostgres server = EmbeddedPostgres.builder().start();
    assertThat(server.folder()).isDirectory();

    server.close();
    server.close();

    assertThat(server.folder()).doesNotExist();
    assertThat(Ports.isOpen(server.port())).isFalse();
    assertThatThrownBy(server::restart).isInstanceOf(IllegalStateException.class);
  }
}
