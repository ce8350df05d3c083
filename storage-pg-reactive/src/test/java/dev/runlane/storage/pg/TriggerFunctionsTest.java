package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.RegisterWebhooks;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Functions of triggers have the rights of the schema's owner: whoever may attach one runs code with these rights. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TriggerFunctionsTest {
  private static final String FUNCTIONS = """
      SELECT p.oid::regprocedure::text FROM pg_proc p
      WHERE p.pronamespace = '{schema}'::regnamespace AND p.prosecdef AND p.prorettype = 'trigger'::regtype
      """;

  private final Scene scene = Scene.open();
  private final String role = "guest_" + scene.schema();

  @AfterEach
  void close() {
    Scene.execute(scene.connect(), "DROP OWNED BY " + role + "; DROP ROLE " + role);
    scene.close();
  }

  @Test
  void a_role_that_may_only_look_into_the_schema_attaches_none_to_a_table_of_its_own() {
    scene.start();
    PgConnection guest = guest("USAGE ON SCHEMA {schema}");
    Scene.execute(guest, "CREATE TEMP TABLE own (env integer)");
    List<String> functions = functions();

    assertThat(functions).hasSize(3);
    assertThat(functions).allSatisfy(function -> {
      Throwable refused = cause(guest
          .query("CREATE TRIGGER own AFTER INSERT ON own FOR EACH ROW EXECUTE FUNCTION " + function)
          .execute());
      assertThat(((PgException) refused).getSqlState()).isEqualTo("42501");
    });
  }

  @Test
  void they_run_for_a_role_that_may_execute_none() {
    PgStorageAdapter storage = scene.start();
    done(storage
        .operator()
        .orElseThrow()
        .registerWebhooks(new RegisterWebhooks(ENVIRONMENT, Map.of("hook", EndFilter.ALL), NOON)));
    PgConnection guest = guest(
        "USAGE ON SCHEMA {schema}",
        "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema}",
        "USAGE ON ALL SEQUENCES IN SCHEMA {schema}");

    done(TestRuns.cancelled("ended").storeIn(storage.on(guest)));

    assertThat(scene.rows("webhook_deliveries")).isEqualTo(1);
  }

  @Test
  void a_role_that_may_only_trigger_does_not_make_the_trigger_that_records_ends() {
    scene.start();
    PgConnection guest = guest(
        "USAGE ON SCHEMA {schema}",
        "EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema}",
        "SELECT ON {schema}.webhooks");

    Throwable refused =
        cause(guest.query("SELECT " + scene.schema() + ".watch_ends()").execute());

    assertThat(((PgException) refused).getSqlState()).isEqualTo("42501");
  }

  @Test
  void a_role_with_the_rights_of_a_process_makes_it() {
    scene.start();
    PgConnection guest = guest(
        "USAGE ON SCHEMA {schema}",
        "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema}",
        "USAGE ON ALL SEQUENCES IN SCHEMA {schema}");

    done(guest.query("SELECT " + scene.schema() + ".watch_ends()").execute());

    String made = "SELECT 1 FROM pg_trigger WHERE tgname = 'webhook_ends' AND tgrelid = '"
        + scene.schema() + ".terminal_runs'::regclass";
    assertThat(done(guest.query(made).execute()).size()).isEqualTo(1);
  }

  /** A connection of a new role with these rights. */
  private PgConnection guest(String... rights) {
    PgConnection connection = scene.connect();
    Scene.execute(connection, "CREATE ROLE " + role);
    for (String each : rights) {
      Scene.execute(
          connection, "GRANT " + each.replace("{schema}", scene.schema()) + " TO " + role);
    }
    Scene.execute(connection, "SET ROLE " + role);
    return connection;
  }

  private List<String> functions() {
    List<String> functions = new ArrayList<>();
    for (Row each : done(
        scene.connect().query(FUNCTIONS.replace("{schema}", scene.schema())).execute())) {
      functions.add(each.getString(0));
    }
    return functions;
  }
}
