package dev.runlane.drills.fleet;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.testinfra.postgres.PostgresAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What a forked program works on, handed over as its first arguments.
 *
 * @param uri the database
 * @param environment the scope of its runs
 * @param lease how long a lease lasts
 * @param clockOffset how far the clock of the program is ahead; negative: behind
 * @param kafka where wakeups go through; null: no broker, they are notifications of the database
 */
public record DrillTarget(
    String uri,
    String environment,
    Duration lease,
    Duration clockOffset,
    @Nullable String kafka) {
  /** How many arguments a target takes. */
  public static final int ARGUMENTS = 5;

  private static final String NO_KAFKA = "-";

  static DrillTarget of(
      PostgresAddress address, String environment, Duration lease, @Nullable String kafka) {
    return new DrillTarget(address.toUri(), environment, lease, Duration.ZERO, kafka);
  }

  public static DrillTarget fromArguments(String[] arguments) {
    return new DrillTarget(
        arguments[0],
        arguments[1],
        Duration.parse(arguments[2]),
        Duration.parse(arguments[3]),
        NO_KAFKA.equals(arguments[4]) ? null : arguments[4]);
  }

  List<String> toArguments() {
    return List.of(
        uri,
        environment,
        lease.toString(),
        clockOffset.toString(),
        kafka == null ? NO_KAFKA : kafka);
  }

  public DrillTarget withEnvironment(String other) {
    return new DrillTarget(uri, other, lease, clockOffset, kafka);
  }

  public DrillTarget withClockOffset(Duration other) {
    return new DrillTarget(uri, environment, lease, other, kafka);
  }

  /** How far the clocks of processes may differ: a tenth of a lease. */
  Duration toleratedSkew() {
    return lease.dividedBy(ContractDefaults.SKEW_DIVISOR);
  }

  /** A clock offset by which two processes differ by as much as is tolerated at most. */
  public Duration randomOffset(Random random) {
    long most = toleratedSkew().toMillis() / 2;
    return Duration.ofMillis(random.nextLong(-most, most));
  }

  public Environment scope() {
    return new Environment(environment);
  }
}
