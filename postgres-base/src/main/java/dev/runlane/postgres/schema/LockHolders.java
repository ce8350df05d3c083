package dev.runlane.postgres.schema;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Who keeps a change of tables from its locks, as far as looks between its tries tell. */
final class LockHolders {
  /** Nobody has looked. */
  static final LockHolders UNKNOWN = new LockHolders(null, List.of());

  /** For how long a change may stand in front of others so that an autovacuum yields. */
  private static final Duration LONGEST_IN_FRONT = Duration.ofSeconds(2);

  private static final int NAMED = 5;

  private final @Nullable List<Holder> seen;
  private final List<Holder> lasting;

  private LockHolders(@Nullable List<Holder> seen, List<Holder> lasting) {
    this.seen = seen;
    this.lasting = lasting;
  }

  /** After one more look. Whoever was there in the look before too has not let go between the two. */
  LockHolders after(List<Holder> look) {
    if (seen == null) {
      return new LockHolders(look, look);
    }
    Set<String> before = seen.stream().map(Holder::transaction).collect(Collectors.toSet());
    return new LockHolders(
        look,
        look.stream().filter(holder -> before.contains(holder.transaction())).toList());
  }

  /** Whether Postgres ends each of them for somebody who waits a little. */
  boolean allYield() {
    return !lasting.isEmpty() && lasting.stream().allMatch(Holder::yields);
  }

  /** In words, such as {@code pid 7 (client backend, application psql) has active_runs}. */
  @Override
  public String toString() {
    return lasting.isEmpty()
        ? "others, none of them for long"
        : lasting.stream().limit(NAMED).map(Holder::words).collect(Collectors.joining("; "))
            + (lasting.size() > NAMED ? "; and " + (lasting.size() - NAMED) + " more" : "");
  }

  static List<Holder> read(RowSet<Row> rows) {
    return StreamSupport.stream(rows.spliterator(), false).map(Holder::read).toList();
  }

  /**
   * A transaction that has a lock. Without the text of its query, which may hold anything.
   *
   * @param transaction its virtual id, which no other has
   * @param pid null for a prepared transaction
   * @param backendType null where the role may not see it
   * @param hasNoUser whether it works in the database for nobody, as autovacuum does
   * @param preventsWraparound an autovacuum that yields to nobody, where the role may see that
   * @param deadlockTimeoutMillis of the server, after which others yield
   * @param tables null where it has the advisory lock alone
   */
  record Holder(
      String transaction,
      @Nullable Integer pid,
      @Nullable String backendType,
      boolean hasNoUser,
      boolean preventsWraparound,
      int deadlockTimeoutMillis,
      @Nullable String application,
      @Nullable OffsetDateTime since,
      @Nullable String tables) {
    private static final String AUTOVACUUM = "autovacuum worker";

    static Holder read(Row row) {
      return new Holder(
          row.getString("transaction"),
          row.getInteger("pid"),
          row.getString("backend_type"),
          row.getBoolean("has_no_user"),
          row.getBoolean("prevents_wraparound"),
          row.getInteger("deadlock_timeout_millis"),
          row.getString("application"),
          row.getOffsetDateTime("since"),
          row.getString("tables"));
    }

    boolean yields() {
      return isAutovacuum()
          && !preventsWraparound
          && deadlockTimeoutMillis < LONGEST_IN_FRONT.toMillis();
    }

    private boolean isAutovacuum() {
      return hasNoUser && (backendType == null || backendType.equals(AUTOVACUUM));
    }

    private String words() {
      String has = tables == null ? " makes such changes too" : " has " + tables;
      if (pid == null) {
        return "a prepared transaction, see pg_prepared_xacts," + has;
      }
      return "pid " + pid + " (" + type()
          + (application == null ? "" : ", application " + application)
          + (since == null ? "" : ", in a transaction since " + since) + ")" + has;
    }

    private String type() {
      return isAutovacuum() ? AUTOVACUUM : backendType == null ? "of another role" : backendType;
    }
  }
}
