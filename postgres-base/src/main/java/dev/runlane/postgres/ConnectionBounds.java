package dev.runlane.postgres;

import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long the connections of one store wait for a server that does not answer. At a deadline the connection is closed
 * at its socket: a polite goodbye would wait behind the answer that does not come.
 */
public final class ConnectionBounds {
  /** How much longer than the server's own {@code statement_timeout} a statement is waited for = 5 s. */
  public static final Duration BEYOND_STATEMENT_TIMEOUT = Duration.ofSeconds(5);

  /** How long closing waits for what is under way = 1 s. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(1);

  /** A server that takes longer to let somebody in is not there. */
  private static final Duration LONGEST_CONNECTING = Duration.ofSeconds(10);

  private final Duration statement;
  private final Duration closing;
  private final @Nullable LeaseBound leases;
  private final @Nullable Set<String> underLease; // null: all

  private ConnectionBounds(
      Duration statement,
      Duration closing,
      @Nullable LeaseBound leases,
      @Nullable Set<String> underLease) {
    this.statement = statement;
    this.closing = closing;
    this.leases = leases;
    this.underLease = underLease;
  }

  /**
   * The same bounds for every statement.
   *
   * @param statement from when a statement is sent until its last row
   * @param closing how long a connection that is closed waits for the statement it is working on
   */
  public static ConnectionBounds of(Duration statement, Duration closing) {
    return new ConnectionBounds(statement, closing, null, Set.of());
  }

  /**
   * The same, but for some statements no longer than their lease allows.
   *
   * @param leases the bound
   * @param statements their texts, as they are sent
   */
  public ConnectionBounds underLease(LeaseBound leases, Collection<String> statements) {
    return new ConnectionBounds(statement, closing, leases, Set.copyOf(statements));
  }

  /** The same, but for every statement no longer than a lease allows. */
  public ConnectionBounds underLease(LeaseBound leases) {
    return new ConnectionBounds(statement, closing, leases, null);
  }

  /**
   * The same options for a pool, in which nobody waits for a free connection longer than a statement may take.
   */
  public PoolOptions of(PoolOptions options) {
    PoolOptions bounded = new PoolOptions(options);
    long given = bounded.getConnectionTimeoutUnit().toMillis(bounded.getConnectionTimeout());
    if (given <= 0 || given > statement.toMillis()) {
      bounded
          .setConnectionTimeout((int) Math.min(Integer.MAX_VALUE, statement.toMillis()))
          .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS);
    }
    return bounded;
  }

  /** The deadline of a statement; null stands for the beginning and the end of a transaction. */
  Duration ofStatement(@Nullable String sql) {
    LeaseBound bound = leases;
    Set<String> some = underLease;
    boolean isUnderLease = some == null || sql == null || some.contains(sql);
    return bound != null && isUnderLease ? bound.atMost(statement) : statement;
  }

  /**
   * From the first packet until the server is ready for statements. Half of a statement's time at most, so that who
   * waits for a connection sees a second attempt when the first met the end of a silence.
   */
  Duration connecting() {
    Duration half = statement.dividedBy(2);
    Duration longest = half.compareTo(LONGEST_CONNECTING) < 0 ? half : LONGEST_CONNECTING;
    return leases == null ? longest : leases.atMost(longest);
  }

  /** How long a connection that is closed waits for the statement it is working on. */
  Duration closing() {
    return closing;
  }
}
