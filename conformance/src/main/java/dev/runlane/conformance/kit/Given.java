package dev.runlane.conformance.kit;

import dev.runlane.conformance.fixture.Fixture;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The fixed values that cases start from. */
public final class Given {
  /** The present of every case; cases move it by hand. */
  public static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");

  /** An instant at which everything is due and every claim has expired. */
  public static final Instant NEXT_YEAR = Instant.parse("2027-03-04T12:00:00Z");

  public static final Duration MINUTE = Duration.ofMinutes(1);
  public static final Duration HOUR = Duration.ofHours(1);

  public static final Environment ENVIRONMENT = Fixture.ENVIRONMENT;
  public static final Environment OTHER_ENVIRONMENT = new Environment("elsewhere");

  public static final String TASK = "orders.charge";
  public static final String OTHER_TASK = "orders.refund";
  public static final List<String> TASKS = List.of(TASK);

  public static final QueuePolicy UNBOUNDED = QueuePolicy.unbounded("default");
  public static final QueuePolicy EMAILS = QueuePolicy.unbounded("emails");

  public static final String WORKER = "worker_1";
  public static final Json PAYLOAD = Json.ofChecked("{\"order\":7}");
  public static final FailureRecord FAILURE =
      new FailureRecord(ErrorCode.TASK_FAILED, "Task failed.", true, null);
  public static final IdempotencyTtl TTL_HOUR = IdempotencyTtl.of(HOUR);

  private Given() {}

  /** A queue whose partitions hold at most so many runs. */
  public static QueuePolicy bounded(int limit) {
    return QueuePolicy.bounded("bounded", limit);
  }

  /** A lease of the usual worker. */
  public static Lease lease(String token, Instant expiresAt) {
    return new Lease(token, WORKER, expiresAt);
  }

  public static Instant minutes(long afterNoon) {
    return NOON.plus(Duration.ofMinutes(afterNoon));
  }

  public static Instant seconds(long afterNoon) {
    return NOON.plusSeconds(afterNoon);
  }
}
