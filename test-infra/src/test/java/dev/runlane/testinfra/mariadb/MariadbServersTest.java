package dev.runlane.testinfra.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.Sql;
import dev.runlane.testinfra.process.FreePort;
import dev.runlane.testinfra.server.DockerEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class MariadbServersTest {
  private static final String DATABASES = "SHOW DATABASES";

  private static MariadbServer shared() {
    assumeThat(MariadbServers.absence().orElse("")).isEmpty();
    return MariadbServers.shared();
  }

  @Test
  void there_is_one_shared_server_for_the_whole_process() {
    assertThat(shared()).isSameAs(MariadbServers.shared());
  }

  @Test
  void competing_callers_get_an_empty_database_each() throws SQLException {
    MariadbServer server = shared();

    List<MariadbAddress> created = IntStream.range(0, 8)
        .parallel()
        .mapToObj(i -> server.createDatabase("orders"))
        .toList();

    assertThat(created).doesNotHaveDuplicates().allSatisfy(address -> {
      assertThat(address.database()).startsWith("orders_");
      assertThat(Sql.column(address, "SHOW TABLES")).isEmpty();
    });
    server.dropDatabase(created.get(0).database());
    server.dropDatabase(created.get(0).database());
    assertThat(Sql.column(created.get(1), DATABASES))
        .contains(created.get(2).database())
        .doesNotContain(created.get(0).database());
  }

  @Test
  void a_prefix_that_needs_quoting_is_refused() {
    MariadbServer server = shared();

    assertThatThrownBy(() -> server.createDatabase("Orders; DROP"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_given_server_is_used_and_loses_only_what_was_made_on_it() throws SQLException {
    MariadbMissing.leaveOut();
    try (EmbeddedMariadb somebodys = EmbeddedMariadb.builder().start()) {
      MariadbAddress theirs = somebodys.createDatabase("theirs");

      MariadbServer given = MariadbServers.find(theirs.toUri());
      MariadbAddress ours = given.createDatabase("ours");

      assertThat(given.port()).isEqualTo(somebodys.port());
      assertThat(given.origin()).contains("RUNLANE_TEST_MARIADB").doesNotContain(theirs.password());
      assertThat(Sql.column(theirs, DATABASES)).contains(ours.database());
      given.close();
      assertThat(Sql.column(theirs, DATABASES))
          .contains(theirs.database())
          .doesNotContain(ours.database());
    }
  }

  @Test
  void a_given_server_that_does_not_answer_is_not_replaced() {
    String nowhere = "mysql://root@127.0.0.1:" + FreePort.find();

    assertThatThrownBy(() -> MariadbServers.find(nowhere)).isInstanceOf(ServerException.class);
  }

  @Test
  void where_there_is_none_the_reason_says_what_to_do(@TempDir Path empty) throws IOException {
    assumeThat(DockerEngine.isAnnounced()).as("this machine may have an engine").isFalse();
    Files.createFile(empty.resolve("mariadbd")); // not executable, no tables beside it
    Optional<MariadbInstallation> installed = MariadbInstallation.find(List.of(empty));

    assertThat(MariadbServers.absence(" ", installed))
        .hasValueSatisfying(reason ->
            assertThat(reason).contains("mariadb-server-core").contains("RUNLANE_TEST_MARIADB"));
    assertThat(MariadbServers.absence("mysql://root@127.0.0.1", installed)).isEmpty();
  }

  @Test
  void addresses_are_read_as_they_are_written() {
    MariadbAddress address = new MariadbAddress("::1", 3307, "a b", "us@er", "p:/ä");

    assertThat(MariadbAddress.parse(address.toUri())).isEqualTo(address);
    assertThat(address.toString()).doesNotContain("p%3A");
    assertThat(MariadbAddress.parse("mariadb://db"))
        .isEqualTo(new MariadbAddress("db", 3306, "mysql", "root", ""));
    assertThatThrownBy(() -> MariadbAddress.parse("postgresql://db"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
