package dev.runlane.testinfra.mariadb;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mariadb.MariaDBContainer;

/** A server in Docker, by Testcontainers, which is optional: touch this class only where Docker is announced. */
final class ContainerMariadb {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerMariadb.class);
  private static final String IMAGE = "mariadb:10.11";
  private static final int PORT = 3306;
  private static final String ADMIN = "root";

  private ContainerMariadb() {}

  /** Whether Testcontainers is on the class path and an engine answers. */
  static boolean isAvailable() {
    try {
      return DockerClientFactory.instance().isDockerAvailable();
    } catch (NoClassDefFoundError absent) {
      LOG.info("Docker is announced, but testcontainers-mariadb is not on the class path");
      return false;
    }
  }

  static MariadbServer start(String maxConnections) {
    MariaDBContainer container = new MariaDBContainer(IMAGE);
    container.setCommand(
        "--max-connections=" + maxConnections, "--innodb-flush-log-at-trx-commit=2");
    container.start();
    // The image gives its root the password of the user it makes.
    MariadbAddress admin = new MariadbAddress(
        container.getHost(),
        container.getMappedPort(PORT),
        container.getDatabaseName(),
        ADMIN,
        container.getPassword());
    return new GivenMariadb(admin, IMAGE + " in Docker on port " + admin.port(), container::stop);
  }
}
