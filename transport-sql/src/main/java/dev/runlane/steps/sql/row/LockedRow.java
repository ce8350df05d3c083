package dev.runlane.steps.sql.row;

import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

/** A task or result that a transaction has locked, without its content. */
public record LockedRow(
    String stepId,
    @Nullable String claimedBy,
    @Nullable Long claimedAt,
    String runId,
    int seq,
    long createdAt) {

  /** step_id, claimed_by, claimed_at, run_id, seq, created_at. */
  public static LockedRow of(Row row) {
    return new LockedRow(
        row.getString(0),
        row.getString(1),
        row.getLong(2),
        row.getString(3),
        row.getInteger(4),
        row.getLong(5));
  }

  public boolean isHeldBy(String token) {
    return token.equals(claimedBy);
  }

  /** An owner without a time leases nothing. */
  public boolean isLeasedBy(String token) {
    return isHeldBy(token) && claimedAt != null;
  }

  public boolean isFree(long claimedBefore) {
    return claimedAt == null || claimedAt < claimedBefore;
  }
}
