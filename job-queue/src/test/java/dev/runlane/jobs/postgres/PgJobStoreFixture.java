package dev.runlane.jobs.postgres;

import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.util.ArrayList;
import java.util.List;

/** A schema in one database of the shared server: the next case gets it emptied. */
final class PgJobStoreFixture implements JobStoreFixture {
  private static final ReusedSchemas SCHEMAS = new ReusedSchemas("suite_");

  private static final Pool EMPTYING = PgBuilder.pool()
      .with(new PoolOptions().setMaxSize(5))
      .connectingTo(JobScene.address())
      .using(Vertx.vertx())
      .build();

  private final Vertx vertx;
  private final String schema = SCHEMAS.take();
  private final List<JobStore> opened = new ArrayList<>();

  PgJobStoreFixture(Vertx vertx) {
    this.vertx = vertx;
  }

  @Override
  public Future<JobStore> open(JobStoreOptions options) {
    PgJobStore store = PgJobStore.create(
        vertx,
        new PgJobStoreOptions()
            .setSchema(schema)
            .setConnectOptions(JobScene.reused())
            .setStoreOptions(options));
    opened.add(store);
    return store.connect().map(store);
  }

  @Override
  public Future<Void> close() {
    return Future.join(opened.stream().map(JobStore::disconnect).toList())
        .compose(closed -> EMPTYING.query(ReusedSchemas.emptying(schema)).execute())
        .map(emptied -> {
          SCHEMAS.giveBack(schema);
          return null;
        });
  }
}
