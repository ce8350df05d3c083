package dev.runlane.storage.pg.notify;

import dev.runlane.adapter.Subscription;
import dev.runlane.postgres.PgListener;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.Environment;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.timing.FailureLog;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancellation requests, and other news of runs, over NOTIFY. A lost one costs time until the owner's next heartbeat.
 */
public final class PgCancellations implements CancellationSource {
  private static final Logger LOG = LoggerFactory.getLogger(PgCancellations.class);

  private static final SqlStatement<Notification> NOTIFY = SqlStatement.of(
      "notify",
      new Parameters<Notification>()
          .value("channel", Notification::channel)
          .value("payload", Notification::payload));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(NOTIFY);

  private final PgSession session;
  private final PgListener listener;
  private final String schema;
  private final Context context;
  private final FailureLog failures = // on the context
      new FailureLog(LOG, "telling owners of runs of what was stored");

  public PgCancellations(PgSession session, PgListener listener, String schema, Context context) {
    this.session = session;
    this.listener = listener;
    this.schema = schema;
    this.context = context;
  }

  @Override
  public Future<Subscription> subscribe(Environment environment, Consumer<String> runIds) {
    return listener.listen(NotifyChannel.cancellations(schema, environment), runIds, () -> {});
  }

  /** Always succeeds, since what it tells of is stored already. */
  @Override
  public Future<Void> notifyRunOwner(Environment environment, String runId) {
    return session
        .execute(NOTIFY, new Notification(NotifyChannel.cancellations(schema, environment), runId))
        .transform((told, failure) -> {
          context.runOnContext(turn -> log(runId, failure));
          return Future.succeededFuture();
        });
  }

  private void log(String runId, @Nullable Throwable failure) {
    if (failure == null) {
      failures.succeeded();
    } else {
      failures.failed(failure, "that of run " + runId + " finds out at its next heartbeat");
    }
  }

  private record Notification(String channel, String payload) {}
}
