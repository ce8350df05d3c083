package dev.runlane.storage.pg;

import dev.runlane.conformance.CapabilityGuardConformanceSuite;
import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Set;

/**
 * Every method of a storage whose role has the rights that the README names and no other, with migrations on: the
 * schema was made by somebody else.
 */
class PgRightsTest extends CapabilityGuardConformanceSuite {
  static final String RIGHTS = """
      GRANT USAGE ON SCHEMA {schema} TO {role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};
      """;

  @Override
  protected ReducibleStorageFixture fixture(Vertx vertx) {
    return Limited.create(vertx);
  }

  static final class Limited implements ReducibleStorageFixture {
    /** Of all cases, so that its sessions serve the next one too. */
    private static final String ROLE = "dml_" + PgStorageFixture.directOptions().getDatabase();

    private final Vertx vertx;
    private final String role;
    private final String more;
    private final PgStorageOptions owner;
    private final PgStorageFixture limited;
    private Future<Void> prepared = Future.failedFuture("nobody has opened yet");
    private boolean begun;

    static Limited create(Vertx vertx) {
      return create(vertx, ROLE, "");
    }

    /**
     * A role with more than rights.
     *
     * @param more statements that are executed once the role is there, with {@code {role}} for its name
     */
    static Limited create(Vertx vertx, String role, String more) {
      return new Limited(vertx, role, more, PgStorageFixture.emptySchema());
    }

    private Limited(Vertx vertx, String role, String more, PgStorageOptions owner) {
      this.vertx = vertx;
      this.role = role;
      this.more = more;
      this.owner = owner;
      limited = PgStorageFixture.onEmptied(
          vertx,
          new PgStorageOptions(owner)
              .setConnectOptions(owner.getConnectOptions().setUser(role).setPassword("secret")));
    }

    @Override
    public Future<StorageAdapter> open() {
      return prepare().compose(ready -> limited.open());
    }

    @Override
    public Future<StorageAdapter> openReporting(Set<StorageCapability> capabilities) {
      return prepare().compose(ready -> limited.openReporting(capabilities));
    }

    /** The owner brings the schema forward and grants. */
    private Future<Void> prepare() {
      if (!begun) {
        begun = true;
        PgStorageAdapter made = PgStorageAdapter.create(vertx, owner);
        prepared = made.start()
            .eventually(made::close)
            .compose(current -> PgStorageFixture.sql(
                vertx,
                ("DO $$ BEGIN CREATE ROLE {role} LOGIN PASSWORD 'secret';"
                        + " EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
                        + RIGHTS
                        + more)
                    .replace("{schema}", owner.getSchema())
                    .replace("{role}", role)));
      }
      return prepared;
    }

    @Override
    public Future<Void> close() {
      return limited.close();
    }
  }
}
