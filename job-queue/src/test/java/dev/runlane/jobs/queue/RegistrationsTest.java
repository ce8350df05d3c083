package dev.runlane.jobs.queue;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.mail.MailVerticle.Mail;
import com.example.mail.Registrations;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Jobs that are added in the caller's transaction, as the README shows it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RegistrationsTest {
  private final Vertx vertx = Vertx.vertx();
  private Pool pool;
  private PgJobStore store;
  private Jobs jobs;
  private JobQueue mails;

  @BeforeEach
  void open() throws Exception {
    PgConnectOptions database = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("registrations").toUri());
    pool = PgBuilder.pool().connectingTo(database).using(vertx).build();
    store = PgJobStore.create(vertx, new PgJobStoreOptions().setConnectOptions(database));
    store.connect().await(60, SECONDS);
    pool.query("CREATE TABLE users (address text PRIMARY KEY)").execute().await(60, SECONDS);
    jobs = Jobs.create(vertx, store);
    mails = jobs.queue("mails");
  }

  @AfterEach
  void close() throws Exception {
    jobs.close().await(60, SECONDS);
    store.disconnect().await(60, SECONDS);
    vertx.close().await(60, SECONDS);
  }

  @Test
  void a_mail_is_sent_if_and_only_if_its_user_is_stored() throws Exception {
    Registrations registrations = new Registrations(pool, store, mails);
    List<String> sent = new CopyOnWriteArrayList<>();
    Promise<Void> bothSent = Promise.promise();
    JobWorkerOptions patient = new JobWorkerOptions().setPollInterval(Duration.ofHours(1));
    JobWorker worker = jobs.worker(
        "mails",
        JobProcessor.of((job, signal) -> {
          sent.add(job.dataAs(Mail.class).to());
          if (sent.size() == 2) {
            bothSent.complete();
          }
          return Future.succeededFuture(JobResult.done());
        }),
        patient);

    registrations.register("ada@example.com").await(60, SECONDS);
    assertThat(
            registrations.register("ada@example.com").map(false).otherwise(true).await(60, SECONDS))
        .as("the address is taken")
        .isTrue();
    registrations.register("bob@example.com").await(60, SECONDS);
    bothSent.future().await(60, SECONDS);
    worker.close().await(60, SECONDS);

    assertThat(sent).containsExactly("ada@example.com", "bob@example.com");
    assertThat(mails.count(JobState.COMPLETED).await(60, SECONDS)).isEqualTo(2);
    assertThat(mails.count(JobState.WAITING).await(60, SECONDS)).isZero();
  }
}
