package dev.runlane.storage.pg.jdbc;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.run.AppendConformance;
import dev.runlane.conformance.storage.run.IdempotencyConformance;
import dev.runlane.conformance.storage.run.SequenceConformance;
import dev.runlane.conformance.storage.run.SingletonConformance;
import dev.runlane.conformance.storage.run.StoredValueConformance;
import dev.runlane.run.RunEvent;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.PoolOptions;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** Creations over JDBC are those of the contract; everything else of the storage is the reactive one's. */
class JdbcCreationConformanceTest extends ConformanceSuite<StorageFixture> {
  private static final JdbcDatabase DATABASE =
      JdbcDatabase.createForManyConnections("jdbc_conformance");
  private static final ReusedSchemas REUSED = new ReusedSchemas("suite_");

  @Override
  protected StorageFixture fixture(Vertx vertx) {
    return new Fixture(vertx, REUSED.take());
  }

  @Nested
  class Append extends AppendConformance {}

  @Nested
  class Sequence extends SequenceConformance {}

  @Nested
  class Idempotency extends IdempotencyConformance {}

  @Nested
  class Singleton extends SingletonConformance {}

  @Nested
  class StoredValue extends StoredValueConformance {}

  private static final class Fixture implements StorageFixture {
    private final Vertx vertx;
    private final String schema;
    private final List<PgStorageAdapter> opened = new ArrayList<>();

    Fixture(Vertx vertx, String schema) {
      this.vertx = vertx;
      this.schema = schema;
    }

    @Override
    public Future<StorageAdapter> open() {
      PgStorageAdapter adapter = PgStorageAdapter.create(
          vertx,
          new PgStorageOptions()
              .setSchema(schema)
              .setConnectOptions(DATABASE.reactive())
              .setPoolOptions(new PoolOptions().setMaxSize(4)));
      opened.add(adapter);
      return adapter.start().map(started -> new CreatingOverJdbc(vertx, adapter, schema));
    }

    @Override
    public Future<Void> close() {
      return Future.join(opened.stream().map(PgStorageAdapter::close).toList()).map(closed -> {
        DATABASE.execute(ReusedSchemas.emptying(schema));
        REUSED.giveBack(schema);
        return null;
      });
    }
  }

  /** Each creation is a transaction of its own on a connection of its own. */
  private static final class CreatingOverJdbc extends ForwardingStorageAdapter {
    private final Vertx vertx;
    private final JdbcCreations creations;

    CreatingOverJdbc(Vertx vertx, StorageAdapter delegate, String schema) {
      super(delegate);
      this.vertx = vertx;
      creations = new JdbcCreations(schema, new Ids(Clock.system(), Randomness.system()));
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return isPlainCreation(command)
          ? vertx.executeBlocking(() -> create(command), false)
          : super.appendRunEvents(command);
    }

    private static boolean isPlainCreation(AppendRunEvents command) {
      return command.expectedSequence() == 0
          && command.claimOutboxFor() == null
          && !command.events().isEmpty()
          && command.events().get(0) instanceof RunEvent.Created
          && command.events().stream().noneMatch(RunEvent.LeaseClaimed.class::isInstance);
    }

    private AppendedRun create(AppendRunEvents command) throws Exception {
      try (Connection connection = DATABASE.connect()) {
        connection.setAutoCommit(false);
        AppendedRun created = creations.create(connection, command);
        connection.commit();
        return created;
      }
    }
  }
}
