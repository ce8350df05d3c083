package dev.runlane.storage.pg;

import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import dev.runlane.testinfra.postgres.ReusedSessions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A schema in one database of the shared server; its capacity rows are audited at the end. What the suites
 * do to a schema is to write rows: the next case gets it emptied.
 */
public final class PgStorageFixture implements ReducibleStorageFixture {
  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("conformance");
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final ReusedSchemas REUSED = new ReusedSchemas("suite_");

  /** A case opens some five connections: to start a server process for each takes longer than the case. */
  private static final ReusedSessions SESSIONS = new ReusedSessions(DATABASE);

  /** For what is asked beside the adapters after each case. */
  private static final Pool KEPT = PgBuilder.pool()
      .with(new PoolOptions().setMaxSize(5))
      .connectingTo(directOptions())
      .using(Vertx.vertx())
      .build();

  private final Vertx vertx;
  private final PgStorageOptions options;
  private final boolean isReused;
  private final List<PgStorageAdapter> opened = new ArrayList<>();

  PgStorageFixture(Vertx vertx) {
    this(vertx, emptySchema(), true);
  }

  /** On a schema of the caller's. */
  PgStorageFixture(Vertx vertx, PgStorageOptions options) {
    this(vertx, options, false);
  }

  /** On one of {@link #emptySchema}, which the next may have after. */
  static PgStorageFixture onEmptied(Vertx vertx, PgStorageOptions options) {
    return new PgStorageFixture(vertx, options, true);
  }

  private PgStorageFixture(Vertx vertx, PgStorageOptions options, boolean isReused) {
    this.vertx = vertx;
    this.options = options;
    this.isReused = isReused;
  }

  /** Options for a schema that nobody has used yet, nor will after. */
  static PgStorageOptions newSchema() {
    return inSchema("case_" + SCHEMAS.incrementAndGet());
  }

  /** Options for a schema without rows, that of an earlier case or a new one, by sessions that others have left. */
  static PgStorageOptions emptySchema() {
    return inSchema(REUSED.take()).setConnectOptions(reusedOptions());
  }

  private static PgStorageOptions inSchema(String schema) {
    return new PgStorageOptions()
        .setSchema(schema)
        .setConnectOptions(directOptions())
        .setPoolOptions(new PoolOptions().setMaxSize(4));
  }

  public static PgConnectOptions directOptions() {
    return connectOptions(DATABASE);
  }

  /** The same database for cases that are not about connections. */
  static PgConnectOptions reusedOptions() {
    return connectOptions(SESSIONS.address());
  }

  static PgConnectOptions connectOptions(PostgresAddress address) {
    return PgConnectOptions.fromUri(address.toUri());
  }

  /** Executes statements beside the adapters. */
  static Future<Void> sql(Vertx vertx, String statements) {
    return PgConnection.connect(vertx, reusedOptions())
        .compose(connection -> connection.query(statements).execute().eventually(connection::close))
        .mapEmpty();
  }

  PgStorageOptions options() {
    return options;
  }

  @Override
  public Future<StorageAdapter> open() {
    return openStorage().map(adapter -> adapter);
  }

  Future<PgStorageAdapter> openStorage() {
    PgStorageAdapter adapter = PgStorageAdapter.create(vertx, options);
    opened.add(adapter);
    return adapter.start().map(adapter);
  }

  @Override
  public Future<StorageAdapter> openReporting(Set<StorageCapability> capabilities) {
    return openStorage().map(adapter -> adapter.reporting(capabilities));
  }

  @Override
  public Future<Void> close() {
    return Future.join(opened.stream().map(PgStorageAdapter::close).toList())
        .compose(closed -> opened.isEmpty()
            ? Future.succeededFuture()
            : CapacityAudit.check(KEPT, options.getSchema()))
        .compose(audited -> isReused ? giveBack() : Future.succeededFuture());
  }

  /** A schema that was found wrong stays as it is. */
  private Future<Void> giveBack() {
    return KEPT.query(ReusedSchemas.emptying(options.getSchema())).execute().map(emptied -> {
      REUSED.giveBack(options.getSchema());
      return null;
    });
  }
}
