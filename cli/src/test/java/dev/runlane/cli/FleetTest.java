package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.operate.LocalOperations;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("runlane queues, workers, outbox, actions and runs log")
@DisplayNameGeneration(ReplaceUnderscores.class)
class FleetTest {
  private OperatedFleet fleet;

  @BeforeEach
  void start() {
    fleet = OperatedFleet.onEmptied();
  }

  @AfterEach
  void end() {
    fleet.close();
  }

  @Test
  void a_paused_queue_says_by_whom_and_why_and_keeps_its_runs_until_it_is_resumed() {
    fleet.charged(1);

    assertThat(fleet.runlane("queues", "pause", "default", "--reason", "the bank is away"))
        .isEqualTo(new Printed(0, "Queue default is paused\n", ""));
    assertThat(fleet.runlane("queues", "pause", "default", "--actor", "eve").out())
        .isEqualTo("Queue default was paused already, and stays so\n");

    assertThat(fleet.runlane("queues", "list").out())
        .containsPattern("default +none +1 +1 +0 +0 .*paused by ada .* ago: the bank is away");
    JsonNode queue = fleet.json("queues", "list").path("data").get(0);
    assertThat(queue.path("waiting").asInt()).isEqualTo(1);
    assertThat(queue.path("oldestDueAt").asText()).isNotEmpty();
    assertThat(queue.path("paused").path("by").asText()).isEqualTo("ada");
    OperatedFleet.until(() -> await(fleet.worker.operator().pausedQueues()).size() == 1);

    assertThat(fleet.json("queues", "resume", "default").path("changed").asBoolean())
        .isTrue();
    assertThat(fleet.runlane("queues", "resume", "default").out())
        .isEqualTo("Queue default was not paused\n");
    assertThat(fleet.json("queues", "list").path("data").get(0).path("paused").isNull())
        .isTrue();
  }

  @Test
  void tasks_are_listed_with_what_a_trigger_needs_and_the_processes_that_work_on_them() {
    assertThat(fleet.runlane("tasks", "list").err())
        .isEqualTo("No process has said yet which tasks it has.\n");
    fleet.working();
    OperatedFleet.until(() -> fleet.json("tasks", "list").path("data").size() == 2
        && fleet.json("workers").path("data").size() == 1);
    fleet.sql("INSERT INTO {schema}.known_tasks (env, task_id, queue, has_handler, payload_type,"
        + " payload_schema, keys, tag_names, process_id, started_at, published_at) SELECT env, 'refund', queue,"
        + " true, 'shop.Refund', '{\"type\": \"object\"}', '{singletonKey}', '{customer}', 'a lost one', now(),"
        + " now()"
        + " FROM {schema}.known_tasks WHERE task_id = 'charge'");

    JsonNode tasks = fleet.json("tasks", "list").path("data");

    assertThat(tasks.findValuesAsText("id")).containsExactly("charge", "hold", "refund");
    assertThat(tasks.get(1).path("queue").asText()).isEqualTo("one");
    assertThat(tasks.get(1).path("processes").get(0))
        .isEqualTo(fleet.json("workers").path("data").get(0).path("processId"));
    assertThat(tasks.get(2).path("payloadSchema").path("type").asText()).isEqualTo("object");
    assertThat(tasks.get(2).path("keys").toString()).isEqualTo("[\"singletonKey\"]");
    assertThat(tasks.get(2).path("tags").toString()).isEqualTo("[\"customer\"]");
    assertThat(tasks.get(2).path("processes")).isEmpty();
    assertThat(fleet.runlane("tasks", "list").out())
        .containsPattern("TASK +QUEUE +PROCESSES +PAYLOAD +SCHEMA +KEYS +TAGS +NOTE")
        .containsPattern("hold +one +1 +java.lang.String +no *\n")
        .containsPattern(
            "refund +default +0 +shop.Refund +yes +--singleton-key +customer +no living process works on it");
  }

  @Test
  void slots_of_a_queue_are_listed_by_key_from_the_database_as_over_the_api() {
    fleet.working();
    RunRecord plain = await(fleet.worker.trigger(fleet.hold, "x")).run();
    RunRecord keyed = await(
            fleet.worker.trigger(fleet.hold, "y", new TriggerOptions().setConcurrencyKey("acme")))
        .run();
    OperatedFleet.until(
        () -> fleet.get(plain.id()).lease() != null && fleet.get(keyed.id()).lease() != null);

    JsonNode slots = fleet.json("queues", "slots", "one");

    assertThat(slots.path("concurrencyLimit").asInt()).isEqualTo(1);
    assertThat(slots.path("data").findValuesAsText("concurrencyKey")).containsExactly("acme");
    assertThat(slots.path("data").findValuesAsText("occupied")).containsExactly("1", "1");
    assertThat(fleet.runlane("queues", "slots", "one").out())
        .containsPattern("KEY +OCCUPIED +LIMIT +NOTE")
        .containsPattern("acme +1 +1 +full")
        .containsPattern("\\(no key\\) +1 +1 +full");
    assertThat(fleet.runlane("queues", "slots", "default").err())
        .startsWith("No run holds a slot of queue default, which has no limit");
    assertThat(fleet.runlane("queues", "slots", "one", "-n", "0").exitCode()).isEqualTo(2);
    OperatorConsole console =
        OperatorConsole.create(fleet.vertx, fleet.worker, new ConsoleOptions().setPort(0));
    String url = "http://127.0.0.1:" + await(console.start());
    Printed remote =
        Printed.by(Map.of("RUNLANE_URL", url), Terminal.NONE, "queues", "slots", "one", "--json");
    Printed tasks = Printed.by(Map.of("RUNLANE_URL", url), Terminal.NONE, "tasks", "list");
    await(console.close());
    assertThat(remote.out()).isEqualTo(slots + "\n");
    assertThat(tasks.out()).containsPattern("charge +.*java.lang.Integer");
  }

  @Test
  void every_action_stands_in_the_log_with_actor_and_reason() {
    fleet.runlane("queues", "pause", "one", "--actor", "eve", "--reason", "why not");
    fleet.runlane("queues", "resume", "one");

    JsonNode actions = fleet.json("actions", "list").path("data");

    assertThat(actions.findValuesAsText("action")).containsExactly("queue.resume", "queue.pause");
    assertThat(actions.findValuesAsText("actor")).containsExactly("ada", "eve");
    assertThat(actions.get(1).path("reason").asText()).isEqualTo("why not");
    assertThat(actions.get(1).path("succeeded").asBoolean()).isTrue();
    assertThat(fleet.runlane("actions", "list", "-n", "1").out())
        .containsPattern("AT +ACTOR +ACTION +TARGET +RESULT")
        .containsPattern("ada +queue.resume +one +resumed")
        .contains("More: --cursor ");
    for (String filter : List.of("--actor eve", "--action queue.pause")) {
      assertThat(listed(filter).findValuesAsText("actor")).containsExactly("eve");
    }
    assertThat(listed("--target one --since 1h")).hasSize(2);
    assertThat(listed("--target one --until 1h")).isEmpty();
    String more = fleet
        .json("actions", "list", "--since", "1h", "-n", "1")
        .path("nextCursor")
        .asText();
    assertThat(listed("--since 1h --cursor " + more).findValuesAsText("actor"))
        .containsExactly("eve");
    assertThat(fleet.runlane("actions", "list", "--target", "two").err())
        .contains("No action is like this.");
    assertThat(fleet.runlane("actions", "list", "--since", "soon").exitCode()).isEqualTo(2);
  }

  private JsonNode listed(String filter) {
    return fleet.json(("actions list " + filter).split(" ")).path("data");
  }

  @Test
  void a_process_is_gone_by_the_clock_of_the_database_and_not_by_that_of_this_machine() {
    fleet.working();
    OperatedFleet.until(() -> fleet.json("workers").path("data").size() == 1);
    DatabaseOptions.Settings settings =
        new DatabaseOptions.Settings(OperatedFleet.connect(), fleet.schema, "default");

    for (int off : new int[] {3_600, -3_600}) {
      fleet.sql("UPDATE {schema}.live_processes SET last_seen = now()"
          + (off > 0 ? "" : " - interval '1 minute', worker_ids = '{}', process_id = 'gone'"));
      Operations operations =
          await(LocalOperations.open(fleet.vertx, settings, () -> Instant.now().plusSeconds(off)));

      assertThat(await(operations.processes(200, null)).data())
          .filteredOn(each -> each.known().process().processId().equals("gone") == off < 0)
          .isNotEmpty()
          .allSatisfy(each -> assertThat(each.isGone()).isEqualTo(off < 0));
      await(operations.close());
    }
  }

  @Test
  void workers_lists_processes_marks_those_that_are_gone_and_shows_what_they_hold() {
    fleet.working();
    RunRecord held = await(fleet.worker.trigger(fleet.hold, "x")).run();
    OperatedFleet.until(() -> fleet.get(held.id()).lease() != null);
    OperatedFleet.until(() -> fleet.json("workers").path("data").size() == 1);

    JsonNode process = fleet.json("workers").path("data").get(0);
    assertThat(process.path("gone").asBoolean()).isFalse();
    assertThat(process.path("queues").toString()).isEqualTo("[\"default\",\"one\"]");
    assertThat(process.path("tasks").toString()).isEqualTo("[\"charge\",\"hold\"]");
    String id = process.path("processId").asText();
    OperatedFleet.until(() -> fleet
        .json("workers", "--leases", id)
        .path("data")
        .findValuesAsText("runId")
        .contains(held.id()));
    assertThat(fleet.runlane("workers", "--leases", id).out())
        .containsPattern("RUN +TASK +QUEUE +WORKER +UNTIL")
        .containsPattern(held.id() + " +hold +one +.* in \\d+s");

    assertThat(fleet.runlane("workers", "--leases", "nobody").exitCode()).isEqualTo(4);

    fleet.sql(
        "INSERT INTO {schema}.live_processes SELECT env, 'a_lost_one', host, version, roles, queues, task_ids,"
            + " worker_ids, slots, running, longest_lease_millis, started_at, last_seen - interval '1 minute'"
            + " FROM {schema}.live_processes LIMIT 1");

    assertThat(fleet.runlane("workers").out())
        .containsPattern("PROCESS +HOST +VERSION +RUNNING +SLOTS +UP +SEEN +CLOCK +STATE")
        .containsPattern("a_lost_one .* gone ")
        .containsPattern(id + " .* living ");
  }

  @Test
  void workers_shows_what_a_process_holds_of_queues_that_its_workers_do_not_take() {
    await(fleet.worker.worker(new WorkerOptions().setQueues(List.of("default"))));
    RunRecord held = await(fleet.worker.trigger(fleet.hold, "x")).run();
    fleet.worker.executeNext();
    OperatedFleet.until(() -> fleet.get(held.id()).lease() != null);
    OperatedFleet.until(() -> fleet.json("workers").path("data").size() == 1);

    JsonNode process = fleet.json("workers").path("data").get(0);
    assertThat(process.path("queues").toString()).isEqualTo("[\"default\"]");
    assertThat(fleet
            .json("workers", "--leases", process.path("processId").asText())
            .path("data")
            .findValuesAsText("runId"))
        .containsExactly(held.id());
  }

  @Test
  void outbox_lag_tells_by_topic_and_partition_how_far_consumers_are_behind() {
    assertThat(fleet.runlane("outbox", "lag").err()).contains("No process tells of a topic");
    fleet.working();
    OperatedFleet.until(() -> fleet.json("workers").path("data").size() == 1);
    fleet.sql(
        "INSERT INTO {schema}.live_processes SELECT env, 'a_lost_one', host, version, roles, queues, task_ids,"
            + " worker_ids, slots, running, longest_lease_millis, started_at, last_seen - interval '1 minute',"
            + " 90000, '{mails,mails}', '{main,main}', '{0,7}', '{one,one}', '{12,5000000000}'"
            + " FROM {schema}.live_processes LIMIT 1");

    JsonNode topic = fleet.json("outbox", "lag").path("data").get(0);

    assertThat(topic.path("records").asLong()).isEqualTo(5_000_000_012L);
    assertThat(topic.path("partitions").get(1).path("partition").asInt()).isEqualTo(7);
    assertThat(topic.path("partitions").get(1).path("left").asBoolean()).isTrue();
    assertThat(fleet.runlane("outbox", "lag").out())
        .containsPattern("TOPIC +GROUP +QUEUE +UNSETTLED +PARTITIONS +MOST +LEFT")
        .containsPattern("mails +main +one +5000000012 +2 +5000000000 +2");
    assertThat(fleet.runlane("outbox", "lag", "--partitions").out())
        .containsPattern("mails +main +0 +12 .*a_lost_one +left")
        .containsPattern("mails +main +7 +5000000000 .*a_lost_one +left");
    assertThat(fleet.runlane("workers").out()).containsPattern("a_lost_one .* \\+90s ");
  }

  @Test
  void outbox_lists_what_was_given_up_and_redrives_it() {
    fleet.charged(1);
    fleet.charged(2);
    fleet.sql("DELETE FROM {schema}.outbox_messages");
    fleet.sql(
        "INSERT INTO {schema}.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,"
            + " available_at, next_at, failed_publishes) SELECT env, run_id, 2, 'msg_of_' || run_id, queue,"
            + " 'dead_lettered', now(), now(), '9999-12-31 00:00:00Z', 5 FROM {schema}.active_runs");

    JsonNode dead = fleet.json("outbox", "list").path("data");
    assertThat(dead).hasSize(2);
    String first = dead.get(0).path("id").asText();
    String second = dead.get(1).path("id").asText();
    assertThat(fleet.runlane("outbox", "list").out())
        .containsPattern("MESSAGE +RUN +QUEUE")
        .contains(first, second);

    assertThat(fleet.runlane("outbox", "redrive", "--dead-letters", "--dry-run").out())
        .isEqualTo("2 messages would be published again. Nothing was done: --yes does it.\n");
    assertThat(fleet.json("outbox", "redrive", first, "msg_none", "--dry-run").path("redriven"))
        .hasSize(1);
    assertThat(fleet.json("outbox", "list").path("data")).hasSize(2);

    assertThat(fleet.runlane("outbox", "redrive", "msg_none").exitCode()).isEqualTo(4);
    assertThat(fleet.json("outbox", "redrive", first, "--reason", "try").path("redriven"))
        .extracting(JsonNode::asText)
        .containsExactly(first);
    Printed unasked = fleet.runlane("outbox", "redrive", "--dead-letters");
    assertThat(unasked.exitCode()).isEqualTo(2);
    assertThat(unasked.err()).contains("--dry-run").contains("--yes");
    assertThat(fleet.json("outbox", "list").path("data")).hasSize(1);
    assertThat(fleet.runlane("outbox", "redrive", "--dead-letters", "--yes").out())
        .isEqualTo("1 message will be published again\n");

    assertThat(fleet.runlane("outbox", "list").err()).isEqualTo("No message is dead_lettered.\n");
    assertThat(fleet.json("outbox", "list", "-s", "pending").path("data")).hasSize(2);
    assertThat(fleet.json("actions", "list").path("data").findValuesAsText("action"))
        .containsOnly("outbox.redrive");
    assertThat(fleet.runlane("outbox", "redrive").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("outbox", "list", "-s", "published").exitCode()).isEqualTo(2);
  }

  @Test
  void log_shows_what_a_handler_wrote() {
    RunRecord run = fleet.ended(7);
    OperatedFleet.until(() -> fleet.json("runs", "log", run.id()).path("data").size() == 1);

    JsonNode line = fleet.json("runs", "log", run.id()).path("data").get(0);
    assertThat(line.path("text").asText()).isEqualTo("charging");
    assertThat(line.path("fields").path("number").asText()).isEqualTo("7");
    assertThat(fleet.runlane("runs", "log", run.id()).out())
        .containsPattern("AT +ATTEMPT +LEVEL +TEXT +FIELDS")
        .containsPattern(" 1 +info +charging +number=7");
    assertThat(fleet.runlane("runs", "log", "run_none").exitCode()).isEqualTo(4);
  }
}
