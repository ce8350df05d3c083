package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobStoreStartTest {
  private final JobScene scene = JobScene.direct();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void any_number_of_stores_may_start_on_an_empty_database_at_once() {
    List<PgJobStore> stores =
        IntStream.range(0, 8).mapToObj(i -> scene.create(scene.options())).toList();

    done(Future.join(stores.stream().map(PgJobStore::connect).toList()));

    String id = done(stores.get(0).saveJob(QUEUE, job("a"), NOON));
    for (PgJobStore store : stores) {
      assertThat(done(store.getJob(QUEUE, id))).isPresent();
    }
    assertThat(
            scene.number("SELECT count(*) FROM {s}.schema_migrations WHERE module = 'job-queue'"))
        .as("each migration once")
        .isEqualTo(6);
  }

  @Test
  void a_store_may_connect_twice_and_again_after_it_was_disconnected() {
    PgJobStore store = scene.connected();
    String id = done(store.saveJob(QUEUE, job("a"), NOON));

    done(store.connect());
    done(store.disconnect());
    done(store.disconnect());
    assertThat(code(cause(store.getJob(QUEUE, id)))).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    done(store.connect());

    assertThat(done(store.getJob(QUEUE, id))).isPresent();
  }

  @Test
  void a_store_fails_to_connect_where_nobody_listens_and_may_try_again() {
    PgJobStore store = scene.create(scene
        .options()
        .setConnectOptions(new PgConnectOptions(scene.options().getConnectOptions()).setPort(1)));

    assertThat(code(cause(store.connect()))).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(code(cause(store.connect()))).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
  }

  @Test
  void without_migrations_the_tables_must_be_there() {
    PgJobStore store =
        scene.create(scene.options().setStoreOptions(new JobStoreOptions().setAutoMigrate(false)));
    RunlaneException refused = (RunlaneException) cause(store.connect());
    scene.connected();

    assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(refused.getMessage()).contains("lacks migration 1 (jobs), migration 2");
    done(store.connect());
    assertThat(done(store.saveJob(QUEUE, job("a"), NOON))).isNotEmpty();
  }

  @Test
  void a_role_with_the_rights_of_the_readme_uses_a_current_schema_with_migrations_on() {
    scene.connected();
    String role = "dml_" + scene.options().getSchema();
    scene.sql("""
        CREATE ROLE {role} LOGIN PASSWORD 'secret';
        GRANT USAGE ON SCHEMA {s} TO {role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO {role};
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA {s} TO {role};
        """.replace("{role}", role));
    try {
      PgJobStore store = scene.create(scene
          .options()
          .setConnectOptions(
              scene.options().getConnectOptions().setUser(role).setPassword("secret")));
      done(store.connect());

      done(store.saveJobs(QUEUE, JobScene.jobs(3), NOON));
      List<JobData> running = done(store.fetchNextJobs(JobScene.fetching(2, FetchOptions.ANY)));
      JobScene.completeAll(store, running);
      done(store.appendLog(QUEUE, running.get(0).id(), "a line"));
      done(store.saveJob(
          QUEUE, job("grouped", JobOptions.builder().group(JobGroup.of("a")).build()), NOON));
      assertThat(done(
              store.fetchNextJobs(JobScene.fetching(9, FetchOptions.ANY.withGroupConcurrency(1)))))
          .hasSize(2);
      done(store.promoteJobs(QUEUE));
      done(store.retryJobs(QUEUE, JobState.COMPLETED));
      done(store.clean(QUEUE, JobState.FAILED, Duration.ZERO, NOON));
      done(store.removeExpiredJobs(QUEUE, NOON, 10));
      done(store.drain(QUEUE, NOON));
      done(store.obliterate(QUEUE, Obliterate.FORCED, NOON));
      done(store.disconnect());
    } finally {
      scene.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }
  }

  /** They have the rights of the schema's owner: whoever may attach one runs code with these rights. */
  @Test
  void nobody_attaches_functions_of_triggers_to_tables_of_their_own() {
    scene.connected();
    String schema = scene.options().getSchema();
    String role = "guest_" + schema;
    scene.sql("CREATE ROLE " + role + "; GRANT USAGE ON SCHEMA {s} TO " + role);
    try {
      for (String function : List.of("mark_job_group", "record_job_end", "record_gone_job_end")) {
        String attach = "SET ROLE %s; CREATE TEMP TABLE own (queue text); CREATE TRIGGER own AFTER"
            + " INSERT ON own FOR EACH ROW EXECUTE FUNCTION %s.%s()";
        Throwable refused = cause(scene.connect().compose(connection -> connection
            .query(attach.formatted(role, schema, function))
            .execute()
            .eventually(connection::close)));
        assertThat(((PgException) refused).getSqlState()).as(function).isEqualTo("42501");
      }
    } finally {
      scene.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }
  }

  @Test
  void a_schema_may_be_named_by_a_reserved_word() {
    scene.sql("DROP SCHEMA IF EXISTS \"order\" CASCADE");
    PgJobStore store = scene.create(scene.options().setSchema("order"));
    done(store.connect());

    done(store.saveJobs(QUEUE, JobScene.jobs(3), NOON));
    List<JobData> running = done(store.fetchNextJobs(JobScene.fetching(3, FetchOptions.ANY)));

    assertThat(running).hasSize(3);
    JobScene.completeAll(store, running);
  }

  @Test
  void options_are_read_from_json_and_unknown_keys_are_refused() {
    JsonObject json = new JsonObject()
        .put("schema", "mine")
        .put("batchSize", 10)
        .put("maxPending", 100)
        .put("statementSlots", 3)
        .put("lockTimeout", "20ms")
        .put("statementTimeout", "5s")
        .put("statementDeadline", "6s")
        .put("closeTimeout", "1s")
        .put("maxPendingBytes", 1_000)
        .put("store", new JobStoreOptions().setMetricsEnabled(true).toJson());

    assertThat(new PgJobStoreOptions(json).toJson()).isEqualTo(json);
    assertThat(new PgJobStoreOptions(new PgJobStoreOptions(json)).toJson()).isEqualTo(json);
    assertThatThrownBy(() -> new PgJobStoreOptions(new JsonObject().put("shema", "mine")))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    assertThatThrownBy(() -> new PgJobStoreOptions().setBatchSize(0))
        .isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> new PgJobStoreOptions().setSchema("Not Mine"))
        .isInstanceOf(RunlaneException.class);
  }

  private static ErrorCode code(Throwable failure) {
    assertThat(failure).isInstanceOf(RunlaneException.class);
    return ((RunlaneException) failure).code();
  }
}
