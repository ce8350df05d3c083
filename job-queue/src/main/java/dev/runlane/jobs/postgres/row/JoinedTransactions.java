package dev.runlane.jobs.postgres.row;

import dev.runlane.postgres.PgFailures;
import io.vertx.core.Future;
import java.util.function.Function;

/** Parts of a caller's transaction: what fails is taken back to where it began, and the rest stays usable. */
public final class JoinedTransactions implements JobTransactions {
  private final JobSession session;

  public JoinedTransactions(JobSession session) {
    this.session = session;
  }

  @Override
  public <T> Future<T> run(String operation, Function<JobSession, Future<T>> work) {
    return command("SAVEPOINT runlane_jobs")
        .compose(saved -> work.apply(session))
        .transform((done, failure) -> {
          Future<Void> taken = failure == null
              ? Future.succeededFuture()
              : command("ROLLBACK TO SAVEPOINT runlane_jobs");
          return taken
              .compose(back -> command("RELEASE SAVEPOINT runlane_jobs"))
              .transform((released, second) -> {
                Throwable cause = failure != null ? failure : second;
                return cause == null
                    ? Future.succeededFuture(done)
                    : Future.failedFuture(PgFailures.of(operation, cause));
              });
        });
  }

  private Future<Void> command(String sql) {
    return session.client().query(sql).execute().mapEmpty();
  }
}
