package dev.runlane.spring;

import dev.runlane.options.OptionChecks;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What is under {@code runlane} in the application's configuration.
 *
 * @param database the address of the Postgres, {@code postgresql://user:password@host:port/database}; that of the
 *     {@code DataSource} unless set
 * @param schema the schema of the tables
 * @param environment the scope of the runs
 * @param migrate whether the start makes the tables and brings them forward
 * @param work whether this process works on runs; else it only triggers them
 * @param concurrency how many runs it works on at a time
 * @param queues limits of bounded queues, by name
 * @param startTimeout how long the start may take, at most 36 500 days
 * @param stopTimeout how long handlers that are under way may go on when the application stops, at most 36 500 days
 * @param retention how long ago a run must have ended to be removed, for ever; null: none is
 * @param devServices a Postgres of its own for development
 */
@ConfigurationProperties("runlane")
public record RunlaneProperties(
    @Nullable String database,
    @DefaultValue("runlane") String schema,
    @DefaultValue("default") String environment,
    @DefaultValue("true") boolean migrate,
    @DefaultValue("true") boolean work,
    @DefaultValue("16") int concurrency,
    @DefaultValue Map<String, Integer> queues,
    @DefaultValue("60s") Duration startTimeout,
    @DefaultValue("30s") Duration stopTimeout,
    @Nullable Duration retention,
    @DefaultValue DevServices devServices) {
  /** Throws {@code ConfigurationInvalid} for timeouts out of range. */
  public RunlaneProperties {
    OptionChecks.requirePositive("runlane.start-timeout", startTimeout);
    OptionChecks.requireNotNegative("runlane.stop-timeout", stopTimeout);
  }

  /**
   * A Postgres that is started with the application where {@code runlane-test-infra} is on the class path.
   *
   * @param enabled whether it is; the application's {@code DataSource} then leads to it
   */
  public record DevServices(@DefaultValue("false") boolean enabled) {}

  /** Without what may hold a password. */
  @Override
  public String toString() {
    return "RunlaneProperties[schema=" + schema + ", environment=" + environment + ", work=" + work
        + "]";
  }
}
