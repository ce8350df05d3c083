package dev.runlane.testinfra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runlane.testinfra.folder.TestFolders;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.testinfra.kafka.KafkaProbe;
import dev.runlane.testinfra.kafka.KafkaServers;
import dev.runlane.testinfra.mariadb.MariadbAddress;
import dev.runlane.testinfra.mariadb.MariadbServers;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSessions;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of the README. */
@Tag("slow")
class ReadmeExampleTest {

  @Test
  void a_test_takes_a_database_of_the_shared_server() throws SQLException {
    PostgresAddress orders = PostgresServers.shared().createDatabase("orders");

    assertThat(Sql.column(orders, "SELECT 1")).containsExactly("1");
  }

  @Test
  void cases_that_connect_anew_reuse_the_sessions_of_a_database() throws SQLException {
    PostgresAddress orders = PostgresServers.shared().createDatabase("orders");
    PostgresAddress sameOrders = new ReusedSessions(orders).address();

    assertThat(Sql.column(sameOrders, "SELECT current_database()"))
        .containsExactly(orders.database());
  }

  @Test
  void a_drill_kills_and_restarts_its_own_server(@TempDir(factory = TestFolders.class) Path folder)
      throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.builder()
        .dataFolder(folder) // kept; temporary without it
        .setting("max_connections", "200")
        .start()) {
      PostgresAddress orders = server.createDatabase("orders");

      server.kill(); // SIGKILL, with every child
      server.restart(); // same folder, same port

      assertThat(Sql.column(orders, "SELECT 1")).containsExactly("1");
    }
  }

  @Test
  void a_test_takes_topics_of_the_shared_broker() throws Exception {
    String bootstrapServers = KafkaServers.shared().bootstrapServers();

    KafkaProbe.requireAnswer(bootstrapServers);
  }

  @Test
  void a_test_takes_a_mariadb_database_where_there_is_a_server() throws SQLException {
    assumeThat(MariadbServers.absence()).isEmpty();
    MariadbAddress orders = MariadbServers.shared().createDatabase("orders");

    assertThat(Sql.column(orders, "SELECT 1")).containsExactly("1");
  }

  @Tag("full")
  @Test
  void a_drill_kills_and_restarts_its_own_broker(@TempDir(factory = TestFolders.class) Path folder)
      throws Exception {
    try (EmbeddedKafka broker = EmbeddedKafka.builder()
        .dataFolder(folder) // kept; temporary without it
        .setting("message.max.bytes", "2000000")
        .start()) {
      broker.kill(); // SIGKILL
      broker.restart(); // same folder, same port; acknowledged records are there

      KafkaProbe.requireAnswer(broker.bootstrapServers());
    }
  }
}
