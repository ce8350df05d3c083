package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.DONE;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Ends are recorded in their own transaction, whoever commits them, and cost nothing until there is a webhook. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobWebhookTest {
  private final JobScene scene = JobScene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void there_is_no_trigger_before_the_first_webhook_and_one_after_many() {
    PgJobStore store = scene.connected();
    end(store, job("before"));
    assertThat(triggers()).isZero();

    List<Future<Void>> registered =
        IntStream.range(0, 8).mapToObj(i -> register(store)).toList();
    registered.forEach(Outcomes::done);

    assertThat(triggers()).isEqualTo(1);
    end(store, job("after"));
    assertThat(deliveries()).isEqualTo(1);
  }

  @Test
  void triggers_that_an_operator_has_dropped_are_made_again_by_the_next_webhook() {
    PgJobStore store = scene.connected();
    done(register(store));
    scene.sql("DROP TRIGGER jobs_ended ON {s}.jobs; DROP TRIGGER jobs_gone ON {s}.jobs");
    end(store, job("meanwhile"));
    assertThat(deliveries()).isZero();

    done(register(store));

    end(store, job("after"));
    assertThat(deliveries()).isEqualTo(1);
  }

  @Test
  void an_end_that_is_rolled_back_is_told_of_to_nobody() {
    PgJobStore store = scene.connected();
    done(register(store));
    String id = done(store.saveJob(QUEUE, job("a"), NOON));
    PgConnection connection = done(scene.connect());

    done(connection
        .query("BEGIN")
        .execute()
        .compose(begun -> store.on(connection).failJob(QUEUE, id, "no luck", NOON))
        .compose(ended -> connection.query("ROLLBACK").execute()));

    assertThat(deliveries()).isZero();
    done(connection.close());
  }

  @Test
  void an_end_by_a_process_that_knows_nothing_of_webhooks_is_told() {
    PgJobStore store = scene.connected();
    done(register(store));
    String id = done(store.saveJob(QUEUE, job("a"), NOON));
    String role = "earlier_" + scene.options().getSchema(); // has what the migrations before made
    scene.sql("""
        CREATE ROLE {role} LOGIN PASSWORD 'secret';
        GRANT USAGE ON SCHEMA {s} TO {role};
        GRANT SELECT, UPDATE ON {s}.jobs TO {role}
        """.replace("{role}", role));
    try {
      PgConnection earlier = done(PgConnection.connect(
          scene.vertx(), scene.options().getConnectOptions().setUser(role).setPassword("secret")));
      done(earlier
          .query("UPDATE " + scene.options().getSchema()
              + ".jobs SET state = 'completed', completed_at = timestamptz '2026-03-04 12:00:01Z'")
          .execute());
      done(earlier.close());

      assertThat(claim(store))
          .extracting(each -> each.job().jobId(), JobDelivery::endedAt)
          .containsExactly(tuple(id, NOON.plusSeconds(1)));
    } finally {
      scene.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }
  }

  @Test
  void a_role_that_may_not_keep_webhooks_does_not_make_the_triggers() {
    PgJobStore store = scene.connected();
    String role = "guest_" + scene.options().getSchema();
    scene.sql("""
        CREATE ROLE {role};
        GRANT USAGE ON SCHEMA {s} TO {role};
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {s} TO {role};
        GRANT SELECT ON {s}.job_webhooks TO {role}
        """.replace("{role}", role));
    try {
      String watching = "SET ROLE " + role + "; SELECT {s}.watch_job_ends()";
      assertThatThrownBy(() -> scene.sql(watching))
          .hasRootCauseInstanceOf(PgException.class)
          .rootCause()
          .hasFieldOrPropertyWithValue("sqlState", "42501");
      assertThat(triggers()).isZero();

      scene.sql("GRANT INSERT ON {s}.job_webhooks TO " + role);
      scene.sql(watching);

      assertThat(triggers()).isEqualTo(1);
    } finally {
      scene.sql("DROP OWNED BY " + role + "; DROP ROLE " + role);
    }
    done(register(store));
  }

  /** A job that goes at once is deleted by the statement that ends it; its row never says that it has ended. */
  @Test
  void jobs_that_go_at_once_are_told_of_by_the_transaction_that_deletes_them() {
    PgJobStore store = scene.connected();
    done(register(store));
    JobOptions atOnce =
        JobOptions.builder().removeOnComplete(JobRemoval.atOnce()).build();
    done(store.saveBulk(
        QUEUE,
        IntStream.range(0, 40)
            .mapToObj(i -> job("job_" + i, i % 2 == 0 ? atOnce : JobOptions.NONE))
            .toList(),
        NOON));
    List<JobData> running = done(store.fetchNextJobs(JobScene.fetching(40, FetchOptions.ANY)));

    JobScene.completeAll(store, running);

    assertThat(scene.number("SELECT count(*) FROM {s}.jobs")).isEqualTo(20);
    assertThat(claim(store))
        .extracting(each -> each.job().jobId())
        .containsExactlyInAnyOrderElementsOf(running.stream().map(JobData::id).toList());
  }

  private static void end(PgJobStore store, NewJob job) {
    done(store.saveJob(QUEUE, job, NOON));
    JobData running =
        done(store.fetchNextJob(JobScene.fetching(1, FetchOptions.ANY))).orElseThrow();
    done(store.finishJob(FinishJob.of(running.lock(), DONE, NOON)));
  }

  private static Future<Void> register(PgJobStore store) {
    return store
        .webhooks()
        .orElseThrow()
        .registerWebhooks(new RegisterJobWebhooks(Map.of("hook", JobEndFilter.ALL), NOON));
  }

  private static List<JobDelivery> claim(PgJobStore store) {
    return done(store
        .webhooks()
        .orElseThrow()
        .claimDeliveries(new ClaimJobDeliveries(
            List.of("hook"), "token", NOON.plusSeconds(9), Duration.ofMinutes(1), 100)));
  }

  private long deliveries() {
    return scene.number("SELECT count(*) FROM {s}.job_webhook_deliveries");
  }

  private long triggers() {
    return scene.number(
        "SELECT count(*) FROM pg_trigger WHERE tgname = 'jobs_ended' AND tgrelid = '{s}.jobs'::regclass");
  }
}
