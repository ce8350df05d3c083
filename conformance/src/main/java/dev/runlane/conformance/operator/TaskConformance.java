package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.storage.read.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What processes say of their tasks, and whose word counts. */
@DisplayName("tasks")
public abstract class TaskConformance extends OperatorConformance {
  private static final Json SCHEMA =
      JsonValues.parse("the schema", "{\"type\": \"object\"}", JsonLimits.PAYLOAD);
  private static final List<String> MOST_TAGS = IntStream.range(0, ContractDefaults.MAX_TAGS)
      .mapToObj(n -> "x".repeat(ContractDefaults.MAX_TAG_NAME_BYTES - 2) + (10 + n))
      .toList();

  @Test
  @Rule("operator")
  void a_task_is_listed_with_all_that_was_said_of_it_by_whom_and_when() {
    RuntimeTask task = new RuntimeTask(
        "mail",
        "outbound",
        true,
        "com.example.Mail",
        SCHEMA,
        List.of(TaskKey.CONCURRENCY, TaskKey.IDEMPOTENCY));
    publish("one", NOON, seconds(5), task, described("plain"));

    assertThat(list(ENVIRONMENT))
        .containsExactly(
            new KnownTask(task, "one", NOON, seconds(5)),
            new KnownTask(described("plain"), "one", NOON, seconds(5)));
  }

  @Test
  @Rule("operator")
  void a_task_is_listed_with_what_its_code_says_of_each_trigger() {
    RuntimeTask active = ruled("active", new TriggerRules(IdempotencyTtl.ACTIVE, true, List.of()));
    RuntimeTask hourly = ruled(
        "hourly",
        new TriggerRules(
            IdempotencyTtl.of(Duration.ofHours(1)),
            false,
            List.of("order", "a, \"b\" {c}", "customer")));
    RuntimeTask brief =
        ruled("brief", new TriggerRules(IdempotencyTtl.of(Duration.ofMillis(1)), true, MOST_TAGS));
    publish("one", NOON, seconds(5), active, brief, hourly, described("untold"));

    assertThat(list(ENVIRONMENT))
        .extracting(KnownTask::task)
        .containsExactly(active, brief, hourly, described("untold"));

    publish("one", NOON, seconds(6), ruled("hourly", TriggerRules.UNTOLD));
    assertThat(list(ENVIRONMENT))
        .extracting(KnownTask::task)
        .contains(ruled("hourly", TriggerRules.UNTOLD));
  }

  @Test
  @Rule("operator")
  void a_process_that_began_earlier_does_not_replace_what_a_later_one_said() {
    publish("new", minutes(1), minutes(1), handled("mail", "new queue"));
    publish("old", NOON, minutes(2), handled("mail", "old queue"));
    publish("old", NOON, minutes(2), handled("other", "old queue"));

    assertThat(list(ENVIRONMENT))
        .extracting(each -> each.task().queue(), KnownTask::publishedAt)
        .containsExactly(tuple("new queue", minutes(1)), tuple("old queue", minutes(2)));

    publish("newer", minutes(2), minutes(3), handled("mail", "newer queue"));
    assertThat(queues()).containsExactly("newer queue", "old queue");
  }

  @Test
  @Rule("operator")
  void a_process_without_the_handler_does_not_replace_what_one_with_it_said() {
    publish("triggers", minutes(9), minutes(9), described("mail"));
    publish("works", NOON, minutes(9), handled("mail", "works"));
    publish("triggers", minutes(9), minutes(10), described("mail"));

    assertThat(list(ENVIRONMENT)).extracting(KnownTask::processId).containsExactly("works");
  }

  @Test
  @Rule("operator")
  void a_process_replaces_what_it_said_itself_whatever_it_says_now() {
    publish("one", minutes(1), minutes(1), handled("mail", "old"), handled("bills", "old"));

    publish("one", NOON, minutes(2), handled("mail", "new"));
    publish("one", minutes(1), minutes(3), described("bills"));

    assertThat(list(ENVIRONMENT))
        .containsExactly(
            new KnownTask(described("bills"), "one", minutes(1), minutes(3)),
            new KnownTask(handled("mail", "new"), "one", NOON, minutes(2)));
  }

  @Test
  @Rule("operator")
  void what_is_not_said_again_for_two_hours_is_replaced_by_any_process() {
    Instant stale = minutes(1).plus(KnownTask.STALE_AFTER);
    publish("new", minutes(1), minutes(1), handled("mail", "new queue"));

    publish("old", NOON, stale, handled("mail", "old queue"));
    assertThat(queues()).containsExactly("new queue");
    publish("old", NOON, stale.plusNanos(1_000), described("mail"));
    assertThat(list(ENVIRONMENT)).extracting(KnownTask::processId).containsExactly("old");
  }

  @Test
  @Rule("operator")
  void a_task_that_nobody_has_any_more_is_forgotten_after_a_week() {
    publish("one", NOON, NOON, handled("gone", "default"));
    Instant kept = NOON.plus(OperatorStore.TASKS_KEPT);

    publish("two", NOON, kept, handled("mail", "default"));
    assertThat(list(ENVIRONMENT)).hasSize(2);
    publish("two", NOON, kept.plusNanos(1_000), handled("mail", "default"));
    assertThat(list(ENVIRONMENT)).extracting(each -> each.task().taskId()).containsExactly("mail");
  }

  @Test
  @Rule("operator")
  void many_processes_that_publish_at_once_leave_the_word_of_the_last_that_began() {
    Race.Results<Void> race = race(Race.times(8, i -> adapter -> {
      List<RuntimeTask> tasks = new ArrayList<>();
      IntStream.range(0, 20).forEach(n -> tasks.add(handled("task_" + n, "queue_" + i)));
      if (i % 2 == 0) {
        Collections.reverse(tasks);
      }
      return adapter
          .operator()
          .orElseThrow()
          .publishTasks(
              new PublishTasks(ENVIRONMENT, "process_" + i, seconds(i), tasks, minutes(1)));
    }));

    assertThat(race.failures()).isEmpty();
    assertThat(queues()).hasSize(20).containsOnly("queue_7");
  }

  @Test
  @Rule("operator")
  void tasks_are_listed_by_their_ids_in_pages_or_one_alone() {
    List.of("b", "Z", "a").forEach(id -> publish("one", NOON, NOON, described(id)));

    assertThat(pages(cursor -> operator.listTasks(new ListTasks(ENVIRONMENT, null, 2, cursor))))
        .extracting(page -> page.stream().map(each -> each.task().taskId()).toList())
        .containsExactly(List.of("Z", "a"), List.of("b"));
    assertThat(done(operator.listTasks(new ListTasks(ENVIRONMENT, "a", null, null)))
            .data())
        .extracting(each -> each.task().taskId())
        .containsExactly("a");
    assertThat(done(operator.listTasks(new ListTasks(ENVIRONMENT, "c", null, null)))
            .data())
        .isEmpty();
  }

  @Test
  @Rule("operator")
  void a_page_without_a_limit_has_the_default_and_a_greater_one_is_cut_to_the_maximum() {
    List<RuntimeTask> tasks = IntStream.rangeClosed(0, ContractDefaults.MAX_PAGE_LIMIT)
        .mapToObj(i -> described("task_" + i))
        .toList();
    for (int from = 0; from < tasks.size(); from += PublishTasks.MOST_TASKS) {
      int to = Math.min(tasks.size(), from + PublishTasks.MOST_TASKS);
      publish("one", NOON, NOON, tasks.subList(from, to).toArray(RuntimeTask[]::new));
    }

    assertThat(page(null).data()).hasSize(ContractDefaults.PAGE_LIMIT);
    assertThat(page(Integer.MAX_VALUE).data()).hasSize(ContractDefaults.MAX_PAGE_LIMIT);
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_tasks() {
    publish("one", NOON, NOON, described("mail"));

    assertThat(list(OTHER_ENVIRONMENT)).isEmpty();
    assertThat(list(ENVIRONMENT)).hasSize(1);
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_tasks_are_refused() {
    Json large = JsonValues.parse(
        "the schema", "\"" + "x".repeat(RuntimeTask.MOST_SCHEMA_BYTES) + "\"", JsonLimits.PAYLOAD);
    List<RuntimeTask> many = IntStream.rangeClosed(0, PublishTasks.MOST_TASKS)
        .mapToObj(n -> described("task_" + n))
        .toList();
    for (List<RuntimeTask> malformed : List.of(
        List.of(described("")),
        List.of(handled("mail", "a:b")),
        List.of(described("mail"), described("mail")),
        List.of(new RuntimeTask("mail", "default", true, "Mail", large, List.of())),
        List.of(kept("mail", Duration.ZERO)),
        List.of(kept("mail", Duration.ofNanos(1_500_000))),
        List.of(tagged("mail", List.of("a:b"))),
        List.of(tagged("mail", List.of(""))),
        List.of(tagged(
            "mail",
            IntStream.rangeClosed(0, ContractDefaults.MAX_TAGS)
                .mapToObj(n -> "tag" + n)
                .toList())),
        many)) {
      assertFails(
          operator.publishTasks(new PublishTasks(ENVIRONMENT, "one", NOON, malformed, NOON)),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.publishTasks(
            new PublishTasks(ENVIRONMENT, "", NOON, List.of(described("mail")), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listTasks(new ListTasks(ENVIRONMENT, null, 0, null)), ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listTasks(new ListTasks(ENVIRONMENT, null, null, "no cursor")),
        ErrorCode.VALIDATION_FAILED);
    assertThat(list(ENVIRONMENT)).isEmpty();
  }

  private static RuntimeTask kept(String id, Duration retention) {
    return ruled(id, new TriggerRules(IdempotencyTtl.of(retention), false, List.of()));
  }

  private static RuntimeTask tagged(String id, List<String> names) {
    return ruled(id, new TriggerRules(null, false, names));
  }

  private static RuntimeTask ruled(String id, TriggerRules rules) {
    return new RuntimeTask(id, "default", true, "java.lang.String", null, List.of(), rules);
  }

  private static RuntimeTask described(String id) {
    return task(id, "default", false, null);
  }

  private static RuntimeTask handled(String id, String queue) {
    return task(id, queue, true, SCHEMA);
  }

  private static RuntimeTask task(
      String id, String queue, boolean hasHandler, @Nullable Json schema) {
    return new RuntimeTask(id, queue, hasHandler, "java.lang.String", schema, List.of());
  }

  private void publish(String process, Instant startedAt, Instant now, RuntimeTask... tasks) {
    done(operator.publishTasks(
        new PublishTasks(ENVIRONMENT, process, startedAt, List.of(tasks), now)));
  }

  private List<KnownTask> list(Environment environment) {
    return done(operator.listTasks(new ListTasks(environment, null, null, null)))
        .data();
  }

  private Page<KnownTask> page(@Nullable Integer limit) {
    return done(operator.listTasks(new ListTasks(ENVIRONMENT, null, limit, null)));
  }

  private List<String> queues() {
    return list(ENVIRONMENT).stream().map(each -> each.task().queue()).toList();
  }
}
