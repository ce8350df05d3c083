package dev.runlane.testinfra.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** A server in Docker, by Testcontainers, which is optional: touch this class only where Docker is announced. */
final class ContainerPostgres {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerPostgres.class);
  private static final String IMAGE = "postgres:17";

  private ContainerPostgres() {}

  /** Whether Testcontainers is on the class path and an engine answers. */
  static boolean isAvailable() {
    try {
      return DockerClientFactory.instance().isDockerAvailable();
    } catch (NoClassDefFoundError absent) {
      LOG.info("Docker is announced, but testcontainers-postgresql is not on the class path");
      return false;
    }
  }

  static PostgresServer start(Map<String, String> settings) {
    PostgreSQLContainer container = new PostgreSQLContainer(IMAGE);
    List<String> command = new ArrayList<>(List.of("postgres", "-c", "fsync=off"));
    settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    container.setCommand(command.toArray(String[]::new));
    container.start();
    PostgresAddress admin = new PostgresAddress(
        container.getHost(),
        container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT),
        container.getDatabaseName(),
        container.getUsername(),
        container.getPassword());
    return new GivenPostgres(admin, IMAGE + " in Docker on port " + admin.port(), container::stop);
  }
}
