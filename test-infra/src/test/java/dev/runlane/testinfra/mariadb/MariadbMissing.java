package dev.runlane.testinfra.mariadb;

import static org.assertj.core.api.Assumptions.assumeThat;

/** Leaves tests out where this machine has no server. */
final class MariadbMissing {
  private MariadbMissing() {}

  static void leaveOut() {
    assumeThat(MariadbInstallation.find())
        .as("needs the machine's own mariadbd: install mariadb-server-core")
        .isPresent();
  }
}
