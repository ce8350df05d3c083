package dev.runlane.storage.pg;

import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.run.Environment;
import dev.runlane.storage.pg.notify.NotificationTap;
import dev.runlane.storage.read.GetRun;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.PoolOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * NOTIFY transports whose connections go through a line that can be cut, to a Postgres that refuses
 * wakeups when told to: a function in front of its own {@code pg_notify} raises, for a notification of
 * many as long as any of its wakeups may be refused. What it lets through is heard by the tap.
 */
final class PgTransportFixture implements TransportFixture {
  private final Vertx vertx;
  private final PgStorageOptions options = PgStorageFixture.newSchema();
  private final NotificationTap tap;
  private final CuttableLine line;
  private final List<PgStorageAdapter> storages = new ArrayList<>();
  private final List<TransportAdapter> transports = new ArrayList<>();

  PgTransportFixture(Vertx vertx) {
    this.vertx = vertx;
    this.tap = new NotificationTap(vertx, options);
    this.line = new CuttableLine(vertx, PgStorageFixture.directOptions());
  }

  @Override
  public Future<TransportAdapter> open() {
    Future<Void> ready = storages.isEmpty()
        ? tap.open().compose(listening -> line.connect())
        : Future.succeededFuture();
    return ready.compose(connected -> openOver(line));
  }

  private Future<TransportAdapter> openOver(CuttableLine open) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions(options)
            .setPoolOptions(new PoolOptions().setMaxSize(1))
            .setConnectOptions(
                open.options().addProperty("search_path", options.getSchema() + ", pg_catalog")));
    TransportAdapter transport = storage.notifyTransport();
    boolean first = storages.isEmpty();
    storages.add(storage);
    transports.add(transport);
    return storage
        .start()
        .compose(started -> first ? makeRefusing() : Future.succeededFuture())
        .compose(refusing -> transport.start())
        .map(transport);
  }

  @Override
  public String queue() {
    return "default";
  }

  @Override
  public Future<List<DeliveryMessage>> received() {
    return tap.received();
  }

  @Override
  public Future<Void> watch(Environment environment) {
    return tap.watch(environment);
  }

  @Override
  public Future<Void> rejectNext(int count) {
    return sql("""
        ALTER SEQUENCE {schema}.refused RESTART;
        UPDATE {schema}.refusing SET most = {count}
        """.replace("{count}", String.valueOf(count)));
  }

  /**
   * There before anything is published, since a prepared statement stays with the function it found. Numbers taken from
   * a sequence stay taken when the refused statement is rolled back.
   */
  private Future<Void> makeRefusing() {
    return sql("""
        CREATE SEQUENCE IF NOT EXISTS {schema}.refused;
        CREATE TABLE IF NOT EXISTS {schema}.refusing (most bigint NOT NULL);
        DELETE FROM {schema}.refusing;
        INSERT INTO {schema}.refusing VALUES (0);
        CREATE OR REPLACE FUNCTION {schema}.pg_notify(channel text, payload text) RETURNS void
        LANGUAGE plpgsql AS $$
        BEGIN
          IF (SELECT r.most > 0 AND (NOT s.is_called OR s.last_value < r.most)
              FROM {schema}.refused s, {schema}.refusing r) THEN
            IF json_array_length(payload::json -> 'wakeups') = 1 THEN
              PERFORM nextval('{schema}.refused');
            END IF;
            RAISE EXCEPTION 'refused' USING ERRCODE = '22023';
          END IF;
          PERFORM pg_catalog.pg_notify(channel, payload);
        END $$
        """);
  }

  private Future<Void> sql(String statements) {
    return PgStorageFixture.sql(vertx, statements.replace("{schema}", options.getSchema()));
  }

  /** Completes when every pool, of one connection each, has noticed. */
  @Override
  public Future<Void> breakDown() {
    GetRun any = new GetRun(ENVIRONMENT, "run_1");
    return line.cut()
        .compose(cut -> Future.join(storages.stream()
            .map(storage -> storage.getRun(any).otherwiseEmpty())
            .toList()))
        .mapEmpty();
  }

  @Override
  public Future<Void> restore() {
    return line.connect();
  }

  @Override
  public Future<Void> close() {
    return Future.join(transports.stream().map(TransportAdapter::close).toList())
        .compose(
            closed -> Future.join(storages.stream().map(PgStorageAdapter::close).toList()))
        .compose(closed -> Future.join(tap.close(), line.cut()))
        .mapEmpty();
  }
}
