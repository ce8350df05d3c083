package dev.runlane.drills;

import dev.runlane.run.Environment;
import dev.runlane.testinfra.PostgresAddress;
import java.time.Duration;
import java.util.List;

/**
 * What a forked program works on, handed over as its first arguments.
 *
 * @param uri the database
 * @param environment the scope of its runs
 * @param lease how long a lease lasts
 */
record DrillTarget(String uri, String environment, Duration lease) {
  /** How many arguments a target takes. */
  static final int ARGUMENTS = 3;

  static DrillTarget of(PostgresAddress address, String environment, Duration lease) {
    return new DrillTarget(address.toUri(), environment, lease);
  }

  static DrillTarget fromArguments(String[] arguments) {
    return new DrillTarget(arguments[0], arguments[1], Duration.parse(arguments[2]));
  }

  List<String> toArguments() {
    return List.of(uri, environment, lease.toString());
  }

  DrillTarget withEnvironment(String other) {
    return new DrillTarget(uri, other, lease);
  }

  Environment scope() {
    return new Environment(environment);
  }
}
