package dev.runlane.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.spring.RunlaneProperties;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.ResolvableType;

/** Queues and tasks of beans and properties. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ApplicationTasksTest {
  private static final TaskQueue MAILS = TaskQueue.of("mails").concurrencyLimit(2);
  private static final TaskQueue NIGHTLY = TaskQueue.of("nightly");

  private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

  @Test
  void the_queues_of_task_beans_and_of_their_schedules_need_no_beans_of_their_own() {
    beans.registerSingleton(
        "mails",
        Task.define("mails.send", Void.class)
            .queue(MAILS)
            .schedule(Schedule.cron("all", "0 2 * * *").queue(NIGHTLY))
            .handler((none, context) -> Future.succeededFuture(TaskResult.done())));

    assertThat(application(Map.of()).queues())
        .contains(MAILS, NIGHTLY)
        .anyMatch(TaskQueue::isDefault);
  }

  @Test
  void a_property_and_a_bean_that_give_a_queue_different_limits_fail_the_start() {
    beans.registerSingleton("mails", MAILS);
    beans.registerSingleton("nightly", NIGHTLY);

    assertThat(application(Map.of("mails", 2)).queues()).contains(MAILS);
    for (String queue : List.of("mails", "nightly")) {
      assertThatThrownBy(() -> application(Map.of(queue, 3)))
          .hasMessageContaining("runlane.queues." + queue + " is 3")
          .asInstanceOf(type(RunlaneException.class))
          .returns(ErrorCode.CONFIGURATION_INVALID, RunlaneException::code);
    }
  }

  @Test
  void two_beans_that_are_one_queue_fail_the_start() {
    beans.registerSingleton("mails", MAILS);
    beans.registerSingleton("others", TaskQueue.of("mails"));

    assertThatThrownBy(() -> application(Map.of()))
        .hasMessageContaining("two beans of type TaskQueue are queue mails")
        .hasMessageContaining("the limit 2")
        .hasMessageContaining("no limit")
        .asInstanceOf(type(RunlaneException.class))
        .returns(ErrorCode.CONFIGURATION_INVALID, RunlaneException::code);
  }

  private ApplicationTasks application(Map<String, Integer> limits) {
    return new ApplicationTasks(
        beans,
        beans.<TaskDescription<?>>getBeanProvider(ResolvableType.forClass(TaskDescription.class)),
        beans.getBeanProvider(TaskQueue.class),
        new RunlaneProperties(
            null,
            "runlane",
            "default",
            true,
            true,
            16,
            limits,
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            null,
            new RunlaneProperties.DevServices(false)));
  }
}
