package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;
import static dev.runlane.storage.memory.BrokenOperatorStores.store;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Given;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.Environment;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** Storages that keep wrongly what processes say of their tasks. */
final class BrokenTasks {
  private static final Environment EVERYWHERE = new Environment("everywhere");

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "keeps neither the keys of a task nor when it was published",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> publishTasks(PublishTasks command) {
              return super.publishTasks(new PublishTasks(
                  command.environment(),
                  command.processId(),
                  command.startedAt(),
                  command.tasks().stream()
                      .map(task -> new RuntimeTask(
                          task.taskId(),
                          task.queue(),
                          task.hasHandler(),
                          task.payloadType(),
                          task.payloadSchema(),
                          List.of(),
                          task.rules()))
                      .toList(),
                  Given.minutes(1)));
            }
          }),
          "Tasks.a_task_is_listed_with_all_that_was_said_of_it_by_whom_and_when",
          "Tasks.what_is_not_said_again_for_two_hours_is_replaced_by_any_process",
          "Tasks.a_task_that_nobody_has_any_more_is_forgotten_after_a_week"),
      that(
          "forgets for how long the keys of a task are kept",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> publishTasks(PublishTasks command) {
              return super.publishTasks(ruled(
                  command,
                  rules -> new TriggerRules(null, rules.refusesOtherPayload(), rules.tags())));
            }
          }),
          "Tasks.a_task_is_listed_with_what_its_code_says_of_each_trigger",
          "Tasks.malformed_tasks_are_refused"),
      that(
          "forgets that a task refuses other payloads",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> publishTasks(PublishTasks command) {
              return super.publishTasks(ruled(
                  command, rules -> new TriggerRules(rules.idempotencyTtl(), false, rules.tags())));
            }
          }),
          "Tasks.a_task_is_listed_with_what_its_code_says_of_each_trigger"),
      that(
          "forgets the names of a task's tags",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> publishTasks(PublishTasks command) {
              return super.publishTasks(ruled(
                  command,
                  rules -> new TriggerRules(
                      rules.idempotencyTtl(), rules.refusesOtherPayload(), List.of())));
            }
          }),
          "Tasks.a_task_is_listed_with_what_its_code_says_of_each_trigger",
          "Tasks.malformed_tasks_are_refused"),
      that(
          "lets the process that began first have the last word",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> publishTasks(PublishTasks command) {
              return super.publishTasks(new PublishTasks(
                  command.environment(),
                  command.processId(),
                  Given.NOON.minus(Duration.between(Given.NOON, command.startedAt())),
                  command.tasks(),
                  command.now()));
            }
          }),
          "Tasks.a_process_that_began_earlier_does_not_replace_what_a_later_one_said",
          "Tasks.many_processes_that_publish_at_once_leave_the_word_of_the_last_that_began"),
      that(
          "takes a process that only triggers a task for one that works on it",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> publishTasks(PublishTasks command) {
              return super.publishTasks(new PublishTasks(
                  command.environment(),
                  command.processId(),
                  command.startedAt(),
                  command.tasks().stream()
                      .map(task -> new RuntimeTask(
                          task.taskId(),
                          task.queue(),
                          true,
                          task.payloadType(),
                          task.payloadSchema(),
                          task.keys(),
                          task.rules()))
                      .toList(),
                  command.now()));
            }
          }),
          "Tasks.a_process_without_the_handler_does_not_replace_what_one_with_it_said"),
      that(
          "lists all tasks whichever are asked for",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Page<KnownTask>> listTasks(ListTasks query) {
              return super.listTasks(new ListTasks(query.environment(), null, null, null));
            }
          }),
          "Tasks.tasks_are_listed_by_their_ids_in_pages_or_one_alone",
          "Tasks.malformed_tasks_are_refused"),
      that(
          "keeps the tasks of all environments together",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> publishTasks(PublishTasks command) {
              return super.publishTasks(new PublishTasks(
                  EVERYWHERE,
                  command.processId(),
                  command.startedAt(),
                  command.tasks(),
                  command.now()));
            }

            @Override
            public Future<Page<KnownTask>> listTasks(ListTasks query) {
              return super.listTasks(
                  new ListTasks(EVERYWHERE, query.taskId(), query.limit(), query.cursor()));
            }
          }),
          "Tasks.environments_have_their_own_tasks"));

  private BrokenTasks() {}

  private static PublishTasks ruled(PublishTasks command, UnaryOperator<TriggerRules> wrong) {
    return new PublishTasks(
        command.environment(),
        command.processId(),
        command.startedAt(),
        command.tasks().stream()
            .map(task -> new RuntimeTask(
                task.taskId(),
                task.queue(),
                task.hasHandler(),
                task.payloadType(),
                task.payloadSchema(),
                task.keys(),
                wrong.apply(task.rules())))
            .toList(),
        command.now());
  }
}
