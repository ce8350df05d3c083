package dev.runlane.spring.autoconfigure;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.PreparedRun;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.spring.RunlaneTriggers;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.jdbc.JdbcTrigger;
import dev.runlane.storage.pg.jdbc.JdbcTriggers;
import dev.runlane.storage.pg.jdbc.TriggeredRun;
import dev.runlane.storage.pg.jdbc.TriggeredRun.Outcome;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Triggers over the connection of the current transaction where there is one, else through the runtime. */
final class SpringTriggers implements RunlaneTriggers {
  private static final Logger LOG = LoggerFactory.getLogger(SpringTriggers.class);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ObjectProvider<Runlane> runlane;
  private final @Nullable DataSource dataSource;
  private final boolean jta;
  private volatile @Nullable JdbcTriggers statements; // null: none was needed yet

  /**
   * @param runlane asked for with the first trigger: the runtime is made of beans that may need triggers themselves
   * @param dataSource of the application, where it has one and its runs are in the same database
   * @param jta whether transactions are those of JTA, which have no resource before it is asked for
   */
  SpringTriggers(ObjectProvider<Runlane> runlane, @Nullable DataSource dataSource, boolean jta) {
    this.runlane = runlane;
    this.dataSource = dataSource;
    this.jta = jta;
  }

  @Override
  public <P> TriggeredRun trigger(TaskDescription<P> task, P payload, TriggerOptions options) {
    Runlane runtime = runlane.getObject();
    if (dataSource == null || !isInTransaction(dataSource)) {
      return triggerNow(runtime, task, payload, options);
    }
    PreparedRun prepared = runtime.prepare(task, payload, options);
    JdbcTriggers triggers = statements(runtime);
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      TriggeredRun run = triggers.trigger(connection, jdbc(prepared, options));
      TransactionSynchronizationManager.registerSynchronization(new AfterCommit(
          runtime, managed(dataSource), run.outcome() == Outcome.CREATED ? prepared : null));
      return run;
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  /** Made once: they are read from files. */
  private JdbcTriggers statements(Runlane runtime) {
    JdbcTriggers made = statements;
    if (made == null) {
      if (!(runtime.lane().storage() instanceof PgStorageAdapter storage)) {
        throw RunlaneException.configurationInvalid(
            "a trigger in a transaction needs a Lane over PgStorageAdapter, whose tables it writes to");
      }
      made = JdbcTriggers.in(storage.schemaName(), runtime.environment().name());
      statements = made;
    }
    return made;
  }

  /**
   * Whether what is written now is part of a transaction that is still to end. One that has ended is active until its
   * listeners have been called ({@code @TransactionalEventListener}), but synchronizes with nothing any more; one that
   * was committed and calls {@code afterCommit} looks as it did before, which {@link AfterCommit} mends. One of
   * another database or of a broker has no connection of this {@code DataSource}, and its commit would not be one of
   * what is written here; one of JTA has whatever is asked for in it.
   */
  private boolean isInTransaction(DataSource dataSource) {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive()
        && (jta || TransactionSynchronizationManager.hasResource(managed(dataSource)));
  }

  /** What a transaction manager knows the connection by. */
  private static DataSource managed(DataSource dataSource) {
    DataSource target = dataSource instanceof TransactionAwareDataSourceProxy proxy
        ? proxy.getTargetDataSource()
        : null;
    return target == null ? dataSource : managed(target);
  }

  @Override
  public TriggeredRun trigger(String taskId, @Nullable Object payload, TriggerOptions options) {
    return triggerKnown(
        ApplicationTasks.known(runlane.getObject().tasks(), taskId), payload, options);
  }

  @SuppressWarnings("NullAway") // null is the only value of Void
  private <P> TriggeredRun triggerKnown(
      TaskDescription<P> task, @Nullable Object payload, TriggerOptions options) {
    return trigger(task, ApplicationTasks.payloadOf(task, payload), options);
  }

  private static <P> TriggeredRun triggerNow(
      Runlane runtime, TaskDescription<P> task, P payload, TriggerOptions options) {
    try {
      return triggered(waitFor(runtime.trigger(task, payload, options)));
    } catch (TimeoutException late) {
      throw RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          late,
          "a run of task %s was not stored within %s",
          task.id(),
          PATIENCE);
    }
  }

  /**
   * A thread of Vert.x's pools may wait here: before Java 21 blocking handlers are on one, and the answer comes on an
   * event loop. Elsewhere it is {@code await}, which refuses where waiting would keep the answer from coming.
   */
  private static TriggerResult waitFor(Future<TriggerResult> triggered) throws TimeoutException {
    Context context = Vertx.currentContext();
    if (!Context.isOnWorkerThread() || context == null || !context.isEventLoopContext()) {
      return triggered.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    try {
      return triggered
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw RunlaneException.of(ErrorCode.INTERNAL_ERROR, "the trigger failed").causedBy(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the trigger was interrupted")
          .causedBy(interrupted);
    }
  }

  static TriggeredRun triggered(TriggerResult result) {
    return new TriggeredRun(
        result.run().id(), TriggeredRun.Outcome.valueOf(result.outcome().name()));
  }

  private static JdbcTrigger jdbc(PreparedRun run, TriggerOptions options) {
    JdbcTrigger trigger = JdbcTrigger.of(run.taskId(), run.payload().text())
        .setRunId(run.runId())
        .setQueue(run.queue())
        .setActor(run.actor())
        .setTags(run.tags());
    ifGiven(run.runAt(), trigger::setRunAt);
    ifGiven(run.keys().concurrencyKey(), trigger::setConcurrencyKey);
    ifGiven(run.keys().singletonKey(), trigger::setSingletonKey);
    ifGiven(
        run.keys().idempotencyKey(),
        key -> trigger.setIdempotencyKey(
            key, Objects.requireNonNull(run.keys().idempotencyTtl(), "a key has a TTL")));
    ifGiven(run.traceCarrier(), trigger::setTraceCarrier);
    options.getMeta().ifPresent(trigger::setMeta);
    return trigger;
  }

  private static <T> void ifGiven(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  /**
   * Tells the runtime of the commit, unless the transaction went back to a savepoint of before. What goes wrong with
   * that is no failure of the transaction, which is committed.
   *
   * <p>A trigger that comes when the commit was sent, from the {@code afterCommit} of somebody else, is not told of it
   * any more: its run is on a connection that nobody commits again, so that is done here.
   */
  private static final class AfterCommit implements TransactionSynchronization {
    private final Runlane runtime;
    private final DataSource managed;
    private final Set<Object> laterSavepoints = new HashSet<>();
    private @Nullable PreparedRun created; // null: another run has its key, or it was undone
    private boolean told;

    AfterCommit(Runlane runtime, DataSource managed, @Nullable PreparedRun created) {
      this.runtime = runtime;
      this.managed = managed;
      this.created = created;
    }

    /** Before what gives the connection back, where that is no transaction manager. */
    @Override
    public int getOrder() {
      return DataSourceUtils.CONNECTION_SYNCHRONIZATION_ORDER - 1;
    }

    @Override
    public void savepoint(Object savepoint) {
      laterSavepoints.add(savepoint);
    }

    @Override
    public void savepointRollback(Object savepoint) {
      if (!laterSavepoints.contains(savepoint)) {
        created = null;
      }
    }

    @Override
    public void afterCommit() {
      told = true;
      tell();
    }

    @Override
    public void afterCompletion(int status) {
      if (!told && status == STATUS_COMMITTED && (created == null || isCommitted(created))) {
        tell();
      }
    }

    private boolean isCommitted(PreparedRun run) {
      try {
        commitAgain();
        return true;
      } catch (SQLException | RuntimeException failure) {
        LOG.error(
            "run {} of task {} was triggered after a commit and could not be committed: it does not exist",
            run.runId(),
            run.taskId(),
            failure);
        return false;
      }
    }

    /** A pool may roll back what is open; where each statement commits by itself there is nothing to do. */
    private void commitAgain() throws SQLException {
      if (!TransactionSynchronizationManager.hasResource(managed)) {
        return;
      }
      Connection connection = DataSourceUtils.getConnection(managed);
      try {
        if (!connection.getAutoCommit()) {
          connection.commit();
        }
      } finally {
        DataSourceUtils.releaseConnection(connection, managed);
      }
    }

    private void tell() {
      try {
        if (created != null) {
          runtime.committed(created);
        }
        runtime.wake();
      } catch (RuntimeException failure) {
        LOG.warn("the runtime was not told of a commit; its sweeps find what is new", failure);
      }
    }
  }
}
