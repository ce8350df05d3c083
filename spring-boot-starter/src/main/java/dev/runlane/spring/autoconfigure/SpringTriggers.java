package dev.runlane.spring.autoconfigure;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.spring.RunlaneTriggers;
import dev.runlane.storage.pg.jdbc.JdbcTrigger;
import dev.runlane.storage.pg.jdbc.JdbcTriggers;
import dev.runlane.storage.pg.jdbc.TriggeredRun;
import dev.runlane.timing.Clock;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Triggers over the connection of the current transaction where there is one, else through the runtime. */
final class SpringTriggers implements RunlaneTriggers {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final JsonCodec CODEC = JsonCodec.standard();

  private final Runlane runlane;
  private final JdbcTriggers triggers;
  private final @Nullable DataSource dataSource;
  private final Clock clock = Clock.system();

  /** @param dataSource of the application, where it has one and its runs are in the same database */
  SpringTriggers(Runlane runlane, JdbcTriggers triggers, @Nullable DataSource dataSource) {
    this.runlane = runlane;
    this.triggers = triggers;
    this.dataSource = dataSource;
  }

  @Override
  public <P> TriggeredRun trigger(TaskDescription<P> task, P payload, TriggerOptions options) {
    if (dataSource == null || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return triggerNow(task, payload, options);
    }
    JdbcTrigger trigger = jdbc(task, payload, options);
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      TriggeredRun run = triggers.trigger(connection, trigger);
      TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
        @Override
        public void afterCommit() {
          runlane.wake();
        }
      });
      return run;
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  @Override
  public TriggeredRun trigger(String taskId, @Nullable Object payload, TriggerOptions options) {
    return triggerKnown(ApplicationTasks.known(runlane.tasks(), taskId), payload, options);
  }

  @SuppressWarnings("NullAway") // null is the only value of Void
  private <P> TriggeredRun triggerKnown(
      TaskDescription<P> task, @Nullable Object payload, TriggerOptions options) {
    return trigger(task, ApplicationTasks.payloadOf(task, payload), options);
  }

  private <P> TriggeredRun triggerNow(TaskDescription<P> task, P payload, TriggerOptions options) {
    try {
      return triggered(
          runlane.trigger(task, payload, options).await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    } catch (TimeoutException late) {
      throw RunlaneException.unavailable(
          dev.runlane.run.ErrorCode.STORAGE_UNAVAILABLE,
          late,
          "a run of task %s was not stored within %s",
          task.id(),
          PATIENCE);
    }
  }

  static TriggeredRun triggered(TriggerResult result) {
    return new TriggeredRun(
        result.run().id(), TriggeredRun.Outcome.valueOf(result.outcome().name()));
  }

  private <P> JdbcTrigger jdbc(
      TaskDescription<P> task, @Nullable P payload, TriggerOptions options) {
    if (task.refusesOtherPayload()) {
      throw RunlaneException.configurationInvalid(
          "task %s refuses another payload under one key, which only the runtime can: trigger it outside of a"
              + " transaction",
          task.id());
    }
    Json json = CODEC.encode("the payload of task " + task.id(), payload, JsonLimits.PAYLOAD);
    JdbcTrigger trigger =
        JdbcTrigger.of(task.id(), json.text()).setQueue(queue(task, options).policy());
    options.getRunId().ifPresent(trigger::setRunId);
    options.getRunAt().ifPresent(trigger::setRunAt);
    options.getDelay().ifPresent(delay -> trigger.setRunAt(clock.now().plus(delay)));
    options
        .getConcurrencyKey()
        .or(() -> made(task.concurrencyKey(), payload))
        .ifPresent(trigger::setConcurrencyKey);
    options
        .getSingletonKey()
        .or(() -> made(task.singletonKey(), payload))
        .ifPresent(trigger::setSingletonKey);
    options
        .getIdempotencyKey()
        .or(() -> made(task.idempotencyKey(), payload))
        .ifPresent(key -> trigger.setIdempotencyKey(
            key, options.getIdempotencyTtl().orElse(task.idempotencyTtl())));
    Map<String, String> tags = new TreeMap<>();
    task.tags().forEach((name, value) -> {
      String tag = payload == null ? null : value.apply(payload);
      if (tag != null) {
        tags.put(name, tag);
      }
    });
    tags.putAll(options.getTags());
    options.getMeta().ifPresent(trigger::setMeta);
    options.getTraceCarrier().ifPresent(trigger::setTraceCarrier);
    return trigger.setTags(tags).setActor(options.getActor());
  }

  private static <P> Optional<String> made(Optional<Function<P, String>> key, @Nullable P payload) {
    return payload == null ? Optional.empty() : key.map(function -> function.apply(payload));
  }

  private TaskQueue queue(TaskDescription<?> task, TriggerOptions options) {
    return options
        .getQueue()
        .or(task::queue)
        .or(() -> runlane.queues().stream().filter(TaskQueue::isDefault).findFirst())
        .orElseThrow(() -> RunlaneException.validationFailed(
            "task %s has no queue and there is no default one", task.id()));
  }
}
