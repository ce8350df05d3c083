package dev.runlane.testinfra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PostgresServersTest {
  @Test
  void there_is_one_shared_server_that_makes_many_databases() {
    PostgresServer server = PostgresServers.shared();

    PostgresAddress first = server.createDatabase("orders");
    PostgresAddress second = server.createDatabase("orders");

    assertThat(first.database()).startsWith("orders_").isNotEqualTo(second.database());
    assertThat(PostgresServers.shared()).isSameAs(server);
  }
}
