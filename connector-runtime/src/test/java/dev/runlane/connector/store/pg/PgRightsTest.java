package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.RunStoreContract;
import dev.runlane.connector.store.StoreCase;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The store under a role with the rights that the README names and no other, with migrations on. */
final class PgRightsTest extends RunStoreContract {
  private final PgScene postgres = new PgScene();

  /** Of all cases, so that its sessions serve the next one too. */
  private final String role = "dml_" + postgres.options().getConnectOptions().getDatabase();

  @Override
  protected StoreCase scene() {
    PgConnectorStoreOptions owner = postgres.options();
    postgres.connected(owner);
    postgres.sql(owner, """
        DO $$ BEGIN CREATE ROLE {role} LOGIN PASSWORD 'secret';
        EXCEPTION WHEN duplicate_object THEN NULL; END $$;
        GRANT USAGE ON SCHEMA {s} TO {role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO {role};
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA {s} TO {role};
        """.replace("{role}", role));
    PgConnectorStore store = postgres.connected(new PgConnectorStoreOptions(owner)
        .setConnectOptions(owner.getConnectOptions().setUser(role).setPassword("secret")));
    return new StoreCase(store, store.records());
  }

  @AfterEach
  void close() {
    postgres.close();
  }

  @Test
  void a_store_that_is_not_to_migrate_says_what_is_missing() {
    PgConnectorStoreOptions empty = postgres.options().setAutoMigrate(false);

    RunlaneException refused = (RunlaneException)
        failure(PgConnectorStore.create(postgres.vertx(), empty).connect());

    assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(refused.getMessage()).contains("1 (connectors)", "4 (grants_of_a_connection)");
  }

  @Test
  void a_schema_may_be_named_by_a_reserved_word() {
    PgConnectorStoreOptions options = postgres.options().setSchema("order");
    postgres.sql(options, "DROP SCHEMA IF EXISTS \"order\" CASCADE");

    PgConnectorStore store = postgres.connected(options);

    new StoreCase(store, store.records()).running("run_1");
  }
}
