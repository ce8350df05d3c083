package dev.runlane.testinfra.server;

import java.nio.file.Files;
import java.nio.file.Path;

/** Whether this machine says that it has a Docker engine. */
public final class DockerEngine {
  private static final Path SOCKET = Path.of("/var/run/docker.sock");

  private DockerEngine() {}

  /** Looked at first, because asking Testcontainers in vain costs a second and an error in the log. */
  public static boolean isAnnounced() {
    return System.getenv("DOCKER_HOST") != null || Files.exists(SOCKET);
  }
}
