package dev.runlane.testinfra.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.Sql;
import dev.runlane.testinfra.process.FreePort;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PostgresServersTest {
  private static final String DATABASES = "SELECT datname FROM pg_database WHERE NOT datistemplate";

  @Test
  void there_is_one_shared_server_for_the_whole_process() {
    assertThat(PostgresServers.shared()).isSameAs(PostgresServers.shared());
  }

  @Test
  void competing_callers_get_an_empty_database_each() throws SQLException {
    PostgresServer server = PostgresServers.shared();

    List<PostgresAddress> created = IntStream.range(0, 8)
        .parallel()
        .mapToObj(i -> server.createDatabase("orders"))
        .toList();

    assertThat(created).doesNotHaveDuplicates().allSatisfy(address -> {
      assertThat(address.database()).startsWith("orders_");
      assertThat(Sql.column(address, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"))
          .containsExactly("0");
    });
  }

  @Test
  void a_copied_database_has_what_is_in_the_other_one_and_a_life_of_its_own() throws SQLException {
    PostgresServer server = PostgresServers.shared();
    PostgresAddress original = server.createDatabase("original");
    Sql.execute(original, "CREATE TABLE orders (id integer); INSERT INTO orders VALUES (1)");

    PostgresAddress copy = server.copyDatabase(original, "copy");
    Sql.execute(copy, "INSERT INTO orders VALUES (2)");

    assertThat(copy.database()).startsWith("copy_");
    assertThat(Sql.column(copy, "SELECT id FROM orders ORDER BY id")).containsExactly("1", "2");
    assertThat(Sql.column(original, "SELECT id FROM orders")).containsExactly("1");
  }

  @Test
  void a_dropped_database_is_gone_although_a_client_used_it() throws SQLException {
    PostgresServer server = PostgresServers.shared();
    PostgresAddress dropped = server.createDatabase("dropped");
    try (var client = Sql.connect(dropped)) {
      assertThat(client.isValid(0)).isTrue();

      server.dropDatabase(dropped.database());
      server.dropDatabase(dropped.database());
    }

    PostgresAddress other = server.createDatabase("other");
    assertThat(Sql.column(other, DATABASES))
        .contains(other.database())
        .doesNotContain(dropped.database());
  }

  @Test
  void a_prefix_that_needs_quoting_is_refused() {
    PostgresServer server = PostgresServers.shared();

    assertThatThrownBy(() -> server.createDatabase("Orders; DROP"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_given_server_is_used_and_loses_only_what_was_made_on_it() throws SQLException {
    try (EmbeddedPostgres somebodys = EmbeddedPostgres.builder().start()) {
      PostgresAddress theirs = somebodys.createDatabase("theirs");

      PostgresServer given = PostgresServers.find(theirs.toUri());
      PostgresAddress ours = given.createDatabase("ours");

      assertThat(given.port()).isEqualTo(somebodys.port());
      assertThat(given.origin())
          .contains("RUNLANE_TEST_POSTGRES")
          .doesNotContain(theirs.password());
      assertThat(Sql.column(theirs, DATABASES)).contains(ours.database());
      given.close();
      assertThat(Sql.column(theirs, DATABASES))
          .contains(theirs.database())
          .doesNotContain(ours.database());
    }
  }

  @Test
  void a_given_server_that_does_not_answer_is_not_replaced() {
    String nowhere = "postgresql://postgres@127.0.0.1:" + FreePort.find();

    assertThatThrownBy(() -> PostgresServers.find(nowhere)).isInstanceOf(ServerException.class);
  }
}
