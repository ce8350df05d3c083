package dev.runlane.testinfra.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runlane.testinfra.Sql;
import dev.runlane.testinfra.server.DockerEngine;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContainerPostgresTest {

  @Test
  void without_an_engine_docker_is_not_available() {
    assumeThat(DockerEngine.isAnnounced()).as("this machine may have an engine").isFalse();

    assertThat(ContainerPostgres.isAvailable()).isFalse();
  }

  @Test
  void a_server_in_docker_makes_databases() throws Exception {
    assumeThat(DockerEngine.isAnnounced() && ContainerPostgres.isAvailable())
        .as("needs a Docker engine")
        .isTrue();

    try (PostgresServer server = ContainerPostgres.start(Map.of("max_connections", "100"))) {
      PostgresAddress orders = server.createDatabase("orders");

      assertThat(Sql.column(orders, "SHOW max_connections")).containsExactly("100");
    }
  }
}
