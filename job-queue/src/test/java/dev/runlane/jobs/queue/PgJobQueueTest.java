package dev.runlane.jobs.queue;

import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.job.ObserverBehaviour;
import dev.runlane.jobs.queue.process.RepeatingBehaviour;
import dev.runlane.jobs.queue.process.SignalBehaviour;
import dev.runlane.jobs.queue.process.WorkingBehaviour;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import dev.runlane.testinfra.postgres.ReusedSessions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import org.junit.jupiter.api.Nested;

/** The behaviour of queues and workers on jobs in Postgres. */
class PgJobQueueTest {
  private static final String SCHEMA = "jobs";
  private static final ReusedSessions SESSIONS =
      new ReusedSessions(PostgresServers.shared().createDatabase("job_queue"));
  private static final PgConnectOptions DATABASE =
      PgConnectOptions.fromUri(SESSIONS.address().toUri());

  /** On the tables of the test before, which are emptied. */
  private static Future<JobStore> store(Vertx vertx) {
    JobStore store = PgJobStore.create(
        vertx, new PgJobStoreOptions().setSchema(SCHEMA).setConnectOptions(DATABASE));
    return PgConnection.connect(vertx, DATABASE)
        .compose(connection -> connection
            .query(ReusedSchemas.emptying(SCHEMA))
            .execute()
            .eventually(connection::close))
        .compose(emptied -> store.connect())
        .map(store);
  }

  @Nested
  class Adding extends AddingBehaviour {
    Adding() {
      super(PgJobQueueTest::store);
    }
  }

  @Nested
  class Working extends WorkingBehaviour {
    Working() {
      super(PgJobQueueTest::store);
    }
  }

  @Nested
  class Signals extends SignalBehaviour {
    Signals() {
      super(PgJobQueueTest::store);
    }
  }

  @Nested
  class Flows extends FlowBehaviour {
    Flows() {
      super(PgJobQueueTest::store);
    }
  }

  @Nested
  class Sharing extends SharingBehaviour {
    Sharing() {
      super(PgJobQueueTest::store);
    }
  }

  @Nested
  class Observers extends ObserverBehaviour {
    Observers() {
      super(PgJobQueueTest::store);
    }
  }

  @Nested
  class Repeating extends RepeatingBehaviour {
    Repeating() {
      super(PgJobQueueTest::store);
    }
  }
}
