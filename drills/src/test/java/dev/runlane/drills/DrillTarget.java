package dev.runlane.drills;

import dev.runlane.run.ContractDefaults;
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
 * @param clockOffset how far the clock of the program is ahead; negative: behind
 */
record DrillTarget(String uri, String environment, Duration lease, Duration clockOffset) {
  /** How many arguments a target takes. */
  static final int ARGUMENTS = 4;

  static DrillTarget of(PostgresAddress address, String environment, Duration lease) {
    return new DrillTarget(address.toUri(), environment, lease, Duration.ZERO);
  }

  static DrillTarget fromArguments(String[] arguments) {
    return new DrillTarget(
        arguments[0], arguments[1], Duration.parse(arguments[2]), Duration.parse(arguments[3]));
  }

  List<String> toArguments() {
    return List.of(uri, environment, lease.toString(), clockOffset.toString());
  }

  DrillTarget withEnvironment(String other) {
    return new DrillTarget(uri, other, lease, clockOffset);
  }

  DrillTarget withClockOffset(Duration other) {
    return new DrillTarget(uri, environment, lease, other);
  }

  /** How far the clocks of processes may differ: a tenth of a lease. */
  Duration toleratedSkew() {
    return lease.dividedBy(ContractDefaults.SKEW_DIVISOR);
  }

  Environment scope() {
    return new Environment(environment);
  }
}
