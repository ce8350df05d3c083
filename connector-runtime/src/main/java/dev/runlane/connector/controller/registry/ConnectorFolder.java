package dev.runlane.connector.controller.registry;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.run.RunlaneException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One connector of a registry.
 *
 * @param folder where it is
 * @param manifest its {@code manifest.json}
 * @param launch its {@code launch.json}; empty for one that is only described and cannot run
 */
public record ConnectorFolder(
    Path folder, ConnectorManifest manifest, Optional<ConnectorLaunch> launch) {
  /** Whether there is something to start. */
  public boolean isRunnable() {
    return launch.isPresent();
  }

  /**
   * Whether {@code manifest.json} or {@code launch.json} are other ones by now, or cannot be read; blocks. The program
   * beside them may then be another one, too.
   */
  public boolean isChanged() {
    try {
      return !equals(ConnectorRegistry.connector(folder));
    } catch (RunlaneException unusable) {
      return true;
    }
  }

  /** Where it starts. */
  public Path workingDirectory() {
    return folder
        .resolve(launch.map(ConnectorLaunch::workingDirectory).orElse(Path.of(".")))
        .normalize();
  }
}
