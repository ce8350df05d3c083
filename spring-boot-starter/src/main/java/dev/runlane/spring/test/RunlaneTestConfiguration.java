package dev.runlane.spring.test;

import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.spring.RunlaneProperties;
import dev.runlane.spring.RunlaneTriggers;
import dev.runlane.spring.autoconfigure.ApplicationTasks;
import dev.runlane.storage.pg.jdbc.TriggeredRun;
import dev.runlane.testing.RunlaneTesting;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The runtime of a {@link RunlaneTest}. */
@AutoConfiguration
@EnableConfigurationProperties(RunlaneProperties.class)
class RunlaneTestConfiguration {
  RunlaneTestConfiguration() {}

  @Bean
  ApplicationTasks runlaneApplicationTasks(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<TaskDescription<?>> tasks,
      ObjectProvider<TaskQueue> queues,
      RunlaneProperties properties) {
    return new ApplicationTasks(beans, tasks, queues, properties);
  }

  @Bean(destroyMethod = "stop")
  RunlaneTesting runlaneTesting(ApplicationTasks application) {
    RunlaneTesting testing = RunlaneTesting.create();
    application.queues().forEach(testing::queue);
    return testing.deploy(application.tasks());
  }

  @Bean
  RunlaneTriggers runlaneTriggers(RunlaneTesting testing) {
    return new TestTriggers(testing);
  }

  private record TestTriggers(RunlaneTesting testing) implements RunlaneTriggers {
    @Override
    public <P> TriggeredRun trigger(TaskDescription<P> task, P payload, TriggerOptions options) {
      TriggerResult result = testing.result(testing.runlane().trigger(task, payload, options));
      return new TriggeredRun(
          result.run().id(), TriggeredRun.Outcome.valueOf(result.outcome().name()));
    }

    @Override
    public TriggeredRun trigger(String taskId, @Nullable Object payload, TriggerOptions options) {
      return triggerKnown(
          ApplicationTasks.known(testing.runlane().tasks(), taskId), payload, options);
    }

    @SuppressWarnings("NullAway") // null is the only value of Void
    private <P> TriggeredRun triggerKnown(
        TaskDescription<P> task, @Nullable Object payload, TriggerOptions options) {
      return trigger(task, ApplicationTasks.payloadOf(task, payload), options);
    }
  }
}
