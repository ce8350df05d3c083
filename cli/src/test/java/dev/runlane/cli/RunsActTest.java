package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.Actor;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("runlane runs cancel, retry, rerun, trigger, prune and queues")
@DisplayNameGeneration(ReplaceUnderscores.class)
class RunsActTest {
  private OperatedFleet fleet;

  @BeforeEach
  void start() {
    fleet = OperatedFleet.onEmptied();
  }

  @AfterEach
  void end() {
    fleet.close();
  }

  private RunEvent lastEvent(String runId) {
    return await(fleet.worker.runs().events(runId)).data().stream()
        .map(RunEventRecord::event)
        .reduce((before, event) -> event)
        .orElseThrow();
  }

  @Test
  void cancel_ends_a_waiting_run_and_the_history_says_who_and_why() {
    RunRecord run = fleet.charged(1);

    Printed printed = fleet.runlane("runs", "cancel", run.id(), "--reason", "ordered twice");

    assertThat(printed).isEqualTo(new Printed(0, "Run " + run.id() + " is cancelled\n", ""));
    RunEvent.Cancelled event = (RunEvent.Cancelled) lastEvent(run.id());
    assertThat(event.header().actor()).isEqualTo(Actor.operator("ada"));
    assertThat(event.reason()).isEqualTo("ordered twice");
    assertThat(fleet.runlane("runs", "cancel", run.id()).err())
        .contains("cannot be cancelled (validation_failed)");
    assertThat(fleet.runlane("runs", "cancel", "run_unknown").exitCode()).isEqualTo(4);
  }

  @Test
  void of_several_runs_one_that_is_refused_keeps_no_other_from_its_turn() {
    RunRecord ended = fleet.ended(2);
    RunRecord first = fleet.charged(1);
    RunRecord last = fleet.charged(3);

    Printed printed = fleet.runlane("runs", "cancel", first.id(), ended.id(), last.id());

    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.out())
        .isEqualTo("Run " + first.id() + " is cancelled\nRun " + last.id() + " is cancelled\n");
    assertThat(printed.err()).startsWith("runlane: run " + ended.id() + ": ");
  }

  @Test
  void retry_and_rerun_make_new_runs_of_the_same_queue_and_keys() {
    RunRecord failed = fleet.ended(-1);

    String retried = fleet.json("runs", "retry", failed.id()).path("newRunId").asText();
    String again =
        fleet.json("runs", "rerun", failed.id(), "--as", "eve").path("newRunId").asText();

    assertThat(fleet.get(retried).source()).isEqualTo(RunSource.manualRetry(failed.id()));
    assertThat(fleet.get(again).source()).isEqualTo(RunSource.rerun(failed.id()));
    assertThat(fleet.get(again).queue()).isEqualTo("default");
    assertThat(lastCreated(again).header().actor()).isEqualTo(Actor.operator("eve"));
    await(fleet.worker.executeNext());
    await(fleet.worker.executeNext());
    assertThat(fleet.get(retried).status()).isEqualTo(RunStatus.FAILED);
    assertThat(fleet.get(again).status()).isEqualTo(RunStatus.FAILED);
    assertThat(fleet.runlane("runs", "retry", fleet.ended(1).id()).exitCode()).isEqualTo(1);
  }

  @Test
  void rerun_takes_another_payload_and_refuses_one_that_is_none(@TempDir Path folder)
      throws Exception {
    RunRecord failed = fleet.ended(-1);
    Path mended = Files.writeString(folder.resolve("mended.json"), " 8\n");

    String typed = fleet
        .json("runs", "rerun", failed.id(), "--payload", "7")
        .path("newRunId")
        .asText();
    String read = fleet
        .json("runs", "rerun", failed.id(), "-p", "@" + mended)
        .path("newRunId")
        .asText();
    Printed malformed = fleet.runlane("runs", "rerun", failed.id(), "--payload", "{");

    assertThat(fleet.get(typed).payload().text()).isEqualTo("7");
    assertThat(fleet.get(typed).source()).isEqualTo(RunSource.rerun(failed.id()));
    assertThat(fleet.get(read).payload().text().strip()).isEqualTo("8");
    assertThat(fleet.get(failed.id()).payload().text()).isEqualTo("-1");
    assertThat(malformed.exitCode()).isEqualTo(1);
    assertThat(malformed.err()).contains("(validation_failed)").hasLineCount(1);
    assertThat(fleet.runlane("runs", "rerun", failed.id(), "-p", "@/none.json").exitCode())
        .isEqualTo(2);
    assertThat(fleet
            .runlane("runs", "rerun", "--task", "charge", "--yes", "-p", "7")
            .err())
        .contains("--payload goes with ids of runs");
    assertThat(fleet.json("runs", "list").path("data")).hasSize(3);
  }

  @Test
  void a_retry_that_is_given_twice_makes_one_run() {
    RunRecord failed = fleet.ended(-1);
    String made = fleet.json("runs", "retry", failed.id()).path("newRunId").asText();

    assertThat(fleet.json("runs", "retry", failed.id()).path("newRunId").asText())
        .isEqualTo(made);
    assertThat(fleet.runlane("runs", "retry", "--task", "charge", "--yes").out())
        .isEqualTo("0 retried, 1 passed over: they had changed, or it was done before\n");
    assertThat(fleet.json("runs", "list", "--status", "active").path("data")).hasSize(1);
  }

  private RunEvent lastCreated(String runId) {
    return await(fleet.worker.runs().events(runId)).data().get(0).event();
  }

  @Test
  void a_filter_is_counted_first_and_nothing_happens_without_yes() {
    for (int i = 0; i < 5; i++) {
      fleet.charged(i);
    }
    RunRecord other = await(fleet.worker.trigger(fleet.hold, "x")).run();

    assertThat(fleet.runlane("runs", "cancel", "--task", "charge").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("runs", "cancel").exitCode()).isEqualTo(2);
    Printed counted = fleet.runlane("runs", "cancel", "--task", "charge", "--dry-run");
    assertThat(counted.out())
        .isEqualTo("  5  charge queued\n5 would be cancelled. Nothing was done: --yes does it.\n");
    assertThat(fleet.json("runs", "list", "--status", "queued").path("data")).hasSize(6);

    assertThat(fleet.runlane("runs", "cancel", "--task", "charge", "--yes"))
        .isEqualTo(new Printed(0, "5 cancelled\n", ""));

    assertThat(fleet.json("runs", "list", "--status", "queued").path("data").findValuesAsText("id"))
        .containsExactly(other.id());
  }

  private List<List<String>> actions() {
    List<List<String>> actions = new ArrayList<>();
    fleet
        .json("actions", "list")
        .path("data")
        .forEach(action -> actions.add(Stream.of("action", "target", "actor", "reason", "result")
            .map(name -> action.path(name).asText())
            .toList()));
    return actions;
  }

  @Test
  void what_is_done_to_runs_stands_in_the_log_of_actions_as_over_http() {
    RunRecord failed = fleet.ended(-1);
    RunRecord waiting = fleet.charged(1);

    fleet.runlane("runs", "cancel", waiting.id(), "--reason", "ordered twice");
    String retried = fleet
        .json("runs", "retry", failed.id(), "--reason", "the card works")
        .path("newRunId")
        .asText();
    String again =
        fleet.json("runs", "rerun", failed.id(), "--as", "eve").path("newRunId").asText();
    assertThat(fleet.runlane("runs", "cancel", waiting.id()).exitCode()).isEqualTo(1);
    String made = fleet
        .json("trigger", "charge", "-p", "7", "-q", "default", "--reason", "by hand")
        .path("run")
        .path("id")
        .asText();

    List<List<String>> actions = actions();
    assertThat(actions)
        .hasSize(5)
        .containsSubsequence(
            List.of("task.trigger", "charge", "ada", "by hand", "created " + made),
            List.of("run.rerun", failed.id(), "eve", "null", "created " + again),
            List.of("run.retry", failed.id(), "ada", "the card works", "created " + retried),
            List.of("run.cancel", waiting.id(), "ada", "ordered twice", "cancelled"));
    assertThat(actions.get(1).get(4)).contains("cannot be cancelled");
  }

  @Test
  void an_action_by_filter_is_one_in_the_log_with_its_filter_and_how_many_it_was_done_to() {
    await(fleet.worker.trigger(
        OperatedFleet.CHARGE, 1, new TriggerOptions().setConcurrencyKey("customer-7")));
    fleet.charged(2);
    fleet.charged(3);
    Instant now = Clock.system().now();
    String[] until = {"--until", now.toString(), "--reason", "a mistake"};

    fleet.runlane("runs", "cancel", "--concurrency-key", "customer-7", "--dry-run");
    assertThat(actions()).isEmpty();
    fleet.runlane("runs", "cancel", "--concurrency-key", "customer-7", "--yes", until[0], until[1]);
    fleet.runlane(
        "runs", "cancel", "-t", "charge", "-s", "queued", "--yes", until[0], until[1], until[2],
        until[3]);

    assertThat(actions())
        .containsExactly(
            List.of(
                "runs.bulk_cancel",
                "status=queued task=charge createdBefore=" + now,
                "ada",
                "a mistake",
                "2 cancelled"),
            List.of(
                "runs.bulk_cancel",
                "status=queued,released,retrying,running,scheduled concurrencyKey=(given)"
                    + " createdBefore=" + now,
                "ada",
                "null",
                "1 cancelled"));
  }

  @Test
  void an_action_by_tag_and_code_is_done_to_runs_that_have_both() {
    fleet.json("trigger", "charge", "-p", "1", "-q", "default", "--tag", "customer:acme");
    fleet.json("trigger", "charge", "-p", "2", "-q", "default", "--tag", "customer:globex");
    String[] acme = {"runs", "cancel", "--tag", "customer:acme"};

    assertThat(fleet
            .json(with(acme, "--error-code", "task_failed", "--dry-run"))
            .path("matched")
            .asInt())
        .isZero();
    assertThat(fleet.json(with(acme, "--dry-run")).path("matched").asInt()).isEqualTo(1);
    assertThat(fleet.runlane(with(acme, "--yes")).out()).isEqualTo("1 cancelled\n");
    assertThat(fleet.runlane(with(acme, "--error-code", "no_code", "--dry-run")).exitCode())
        .isEqualTo(2);
    assertThat(actions().get(0).get(1)).contains(" tag=(given)").doesNotContain("acme");
  }

  private static String[] with(String[] arguments, String... more) {
    return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void nothing_is_done_to_runs_that_cannot_be_recorded() {
    RunRecord run = fleet.charged(1);
    fleet.sql("ALTER TABLE {schema}.operator_actions ADD CHECK (action NOT LIKE 'run%') NOT VALID");

    assertThat(fleet.runlane("runs", "cancel", run.id()).exitCode()).isEqualTo(1);
    assertThat(fleet.runlane("runs", "cancel", "--task", "charge", "--yes").exitCode())
        .isEqualTo(1);

    assertThat(fleet.get(run.id()).status()).isEqualTo(RunStatus.QUEUED);
  }

  @Test
  void what_is_made_again_by_a_filter_is_not_made_again_by_it() {
    for (int i = 0; i < 20; i++) {
      fleet.charged(-1 - i);
    }
    for (int i = 0; i < 20; i++) {
      await(fleet.worker.executeNext());
    }

    JsonNode answer = fleet.json("runs", "retry", "--status", "failed", "--yes");

    assertThat(answer.path("retried").asInt()).isEqualTo(20);
    assertThat(fleet.json("runs", "list", "--status", "queued").path("data")).hasSize(20);
  }

  @Test
  void runs_that_end_at_once_are_made_again_once_whatever_time_the_filter_ends_with() {
    int runs = 250; // more than a page
    await(Future.all(Stream.generate(() -> fleet.worker.trigger(OperatedFleet.CHARGE, 1))
        .limit(runs)
        .toList()));
    fleet.working();
    OperatedFleet.until(() -> succeeded() == runs);
    String tomorrow = Instant.now().plus(Duration.ofDays(1)).toString();

    JsonNode answer = fleet.json("runs", "rerun", "--until", tomorrow, "--yes");

    assertThat(answer.path("rerun").asInt()).isEqualTo(runs);
    OperatedFleet.until(() -> succeeded() >= 2L * runs);
    assertThat(succeeded()).isEqualTo(2L * runs);
  }

  private long succeeded() {
    return fleet
        .sql("SELECT count(*) FROM {schema}.terminal_runs WHERE status = 'succeeded'")
        .iterator()
        .next()
        .getLong(0);
  }

  @Test
  void an_id_that_another_program_chose_cannot_steer_the_terminal() {
    String id = "r\u001b]52;c;x\u0007\u202e\u009b";
    fleet.charged(1);
    fleet.sql(
        "SELECT {schema}.trigger('charge', '1', run_id => E'r\\x1b]52;c;x\\x07\\u202e\\u009b')");

    String shown = fleet.runlane("runs", "explain", id)
        + fleet.runlane("trigger", "charge", "-p", "1").toString()
        + fleet.runlane("runs", "get", id, "--json")
        + fleet.runlane("runs", "cancel", id)
        + fleet.runlane("runs", "cancel", id, "nobody");

    assertThat(shown).contains("]52;c;x").doesNotContainPattern("[\\x07\\x1b\\x{202e}\\x{9b}]");
    assertThat(fleet.json("runs", "get", id).findValuesAsText("id")).contains(id);
  }

  @Test
  void progress_is_drawn_at_a_terminal_and_taken_away() {
    fleet.charged(1);

    Printed printed = fleet.at(
        new Terminal(80, false, true, false), "runs", "cancel", "--task", "charge", "--yes");

    assertThat(printed.err()).contains("] 1/1 runs  ").endsWith("\r\u001b[K");
    assertThat(printed.out()).isEqualTo("1 cancelled\n");
  }

  @Test
  void ctrl_c_before_the_start_does_nothing() {
    fleet.charged(1);
    Interruption interruption = new Interruption();
    interruption.requested().complete(null);

    Printed printed =
        fleet.interruptible(interruption, "runs", "cancel", "--task", "charge", "--yes");

    assertThat(printed.exitCode()).isEqualTo(130);
    assertThat(fleet.json("runs", "list", "--status", "queued").path("data")).hasSize(1);
  }

  @Test
  void trigger_takes_queue_from_the_newest_run_and_payload_from_a_file(@TempDir Path folder)
      throws Exception {
    Path file = Files.writeString(folder.resolve("payload.json"), "7");

    assertThat(fleet.runlane("trigger", "charge", "--payload", "7").err())
        .isEqualTo("runlane: task charge has no run yet that would tell its queue: give --queue\n");
    JsonNode first =
        fleet.json("trigger", "charge", "-p", "@" + file, "-q", "default", "--key", "k");
    JsonNode second = fleet.json("trigger", "charge", "-p", "8", "--key", "k");
    Path words = Files.writeString(
        folder.resolve("words.json"),
        "{\"to\": \"Anna B\", \"n\": \"--url=http://127.0.0.1:1/ x\"}");
    String other = fleet
        .json("trigger", "charge", "-p", "@" + words, "-q", "default", "--key", "w")
        .path("run")
        .path("id")
        .asText();
    assertThat(fleet.get(other).payload().text()).contains("Anna B", "--url=http");

    assertThat(first.path("outcome").asText()).isEqualTo("created");
    assertThat(second.path("outcome").asText()).isEqualTo("idempotent_existing");
    assertThat(second.path("samePayload").asBoolean()).isFalse();
    assertThat(fleet.runlane("trigger", "charge", "-p", "8", "--key", "k").out())
        .endsWith("; its payload is another\n");
    String runId = first.path("run").path("id").asText();
    await(fleet.worker.executeNext());
    assertThat(fleet.get(runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(fleet
            .runlane("trigger", "charge", "-p", "{", "-q", "default", "--key", "x")
            .err())
        .contains("(validation_failed)");
    assertThat(fleet
            .runlane("trigger", "charge", "-p", "1", "-q", "nowhere", "--key", "x")
            .err())
        .contains("no living process has queue nowhere");
  }

  @Test
  void trigger_refuses_to_lose_a_key_that_the_task_gives_its_runs() {
    await(fleet.worker.trigger(
        OperatedFleet.CHARGE, 1, new TriggerOptions().setIdempotencyKey("A-1")));

    Printed refused = fleet.runlane("trigger", "charge", "-p", "2");

    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).endsWith("has keys: give --key, or --without-keys\n");
    assertThat(fleet.runlane("trigger", "charge", "-p", "2", "--without-keys").exitCode())
        .isZero();
  }

  @Test
  void trigger_keeps_a_key_as_long_as_the_task_says_or_as_is_given() {
    fleet.publish(new RuntimeTask(
        "invoice",
        "default",
        true,
        "java.lang.Integer",
        null,
        List.of(TaskKey.IDEMPOTENCY),
        new TriggerRules(IdempotencyTtl.ACTIVE, true, List.of())));

    assertThat(triggeredTtl("--key", "A-1")).isEqualTo(IdempotencyTtl.ACTIVE);
    assertThat(fleet.runlane("trigger", "invoice", "-p", "2", "--key", "A-1").err())
        .contains("which has another payload");
    assertThat(triggeredTtl("--key", "A-2", "--idempotency-ttl", "12h"))
        .isEqualTo(IdempotencyTtl.of(Duration.ofHours(12)));
    assertThat(triggeredTtl("--key", "A-3", "--idempotency-ttl", "active"))
        .isEqualTo(IdempotencyTtl.ACTIVE);
    for (String[] wrong : new String[][] {
      {"--without-keys", "--idempotency-ttl", "12h"},
      {"--key", "A-4", "--idempotency-ttl", "soon"},
      {"--key", "A-4", "--idempotency-ttl", "0s"}
    }) {
      assertThat(invoice(wrong).exitCode()).isEqualTo(2);
    }
  }

  @Test
  void trigger_refuses_to_lose_a_tag_that_the_code_of_the_task_makes() {
    fleet.publish(new RuntimeTask(
        "invoice",
        "default",
        true,
        "java.lang.Integer",
        null,
        List.of(TaskKey.SINGLETON),
        new TriggerRules(null, false, List.of("customer", "region"))));

    assertThat(invoice("--tag", "customer:anna").err())
        .endsWith("the code of task invoice makes keys and tags: give --singleton-key,"
            + " --tag region:VALUE, or --without-keys --without-tags\n");
    assertThat(invoice("--without-keys").err())
        .endsWith(": give --tag customer:VALUE, --tag region:VALUE, or --without-tags\n");
    assertThat(invoice("--without-keys", "--tag", "customer:anna", "--tag", "region:eu")
            .exitCode())
        .isZero();
    assertThat(
            invoice("--without-keys", "--without-tags", "--tag", "customer:bo").exitCode())
        .isZero();
    assertThat(fleet.json("runs", "list", "--tag", "customer:anna").path("data"))
        .hasSize(1);
    assertThat(fleet.json("runs", "list", "--tag", "customer:bo").path("data")).hasSize(1);
  }

  private IdempotencyTtl triggeredTtl(String... options) {
    Printed printed = invoice(options);
    assertThat(printed.exitCode()).as(printed.toString()).isZero();
    return fleet.get(printed.out().split(" ")[1]).keys().idempotencyTtl();
  }

  private Printed invoice(String... options) {
    List<String> all = new ArrayList<>(List.of("trigger", "invoice", "-p", "1"));
    all.addAll(List.of(options));
    return fleet.runlane(all.toArray(String[]::new));
  }

  @Test
  void free_key_takes_the_key_of_an_ended_run_and_says_which_had_it() {
    TriggerOptions keyed = new TriggerOptions().setIdempotencyKey("A-1");
    String owner =
        await(fleet.worker.trigger(OperatedFleet.CHARGE, 1, keyed)).run().id();
    String[] free = {"runs", "free-key", "charge", "A-1", "--reason", "wrong card"};
    Printed active = fleet.runlane(free);
    assertThat(active.exitCode()).as(active.toString()).isEqualTo(1);
    await(fleet.worker.executeNext());

    assertThat(fleet.runlane(free))
        .isEqualTo(
            new Printed(0, "Key A-1 of task charge is free; run " + owner + " had it\n", ""));
    assertThat(fleet.runlane(free).out()).isEqualTo("Key A-1 of task charge was free already\n");
    assertThat(fleet.json(free).path("wasHeld").asBoolean()).isFalse();
    assertThat(fleet.runlane("actions", "list").out())
        .contains("idempotency_key.reset", "charge/A-1", "wrong card", "ada");
    assertThat(await(fleet.worker.trigger(OperatedFleet.CHARGE, 1, keyed)).run().id())
        .isNotEqualTo(owner);
  }

  @Test
  void trigger_can_follow_the_run_to_its_end() {
    fleet.working();

    Printed printed = fleet.runlane("trigger", "charge", "-p", "-1", "-q", "default", "--watch");

    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.out()).contains("run.started").endsWith("failed: card declined\n");
  }

  @Test
  void prune_removes_old_ended_runs_alone_and_asks_for_yes() {
    RunRecord old = fleet.ended(1);
    RunRecord waiting = fleet.charged(2);

    assertThat(fleet.runlane("prune", "--older-than", "0s").exitCode()).isEqualTo(2);
    assertThat(fleet.runlane("prune", "--older-than", "1d", "--yes").out())
        .isEqualTo("0 runs removed\n");
    assertThat(fleet.runlane("prune", "--older-than", "0s", "--batch", "1", "--yes"))
        .isEqualTo(new Printed(0, "1 run removed\n", ""));

    assertThat(fleet.runlane("runs", "get", old.id()).exitCode()).isEqualTo(4);
    assertThat(fleet.runlane("runs", "get", waiting.id()).exitCode()).isZero();
    assertThat(fleet
            .runlane("prune", "--older-than", "1d", "-s", "queued", "--yes")
            .exitCode())
        .isEqualTo(2);
  }

  @Test
  void prune_is_one_action_however_many_parts_it_takes() {
    fleet.ended(1);
    fleet.ended(2);

    fleet.runlane(
        "prune", "--older-than", "0s", "--batch", "1", "--yes", "--reason", "the disk is full");

    JsonNode actions = fleet.json("actions", "list").path("data");
    assertThat(actions).hasSize(1);
    assertThat(actions.get(0).path("action").asText()).isEqualTo("runs.prune");
    assertThat(actions.get(0).path("reason").asText()).isEqualTo("the disk is full");
    assertThat(actions.get(0).path("result").asText()).startsWith("2 removed");
  }

  @Test
  void prune_removes_nothing_that_it_cannot_record() {
    RunRecord old = fleet.ended(1);
    fleet.sql("ALTER TABLE {schema}.operator_actions ADD CHECK (action <> 'runs.prune') NOT VALID");

    assertThat(fleet.runlane("prune", "--older-than", "0s", "--yes").exitCode()).isEqualTo(1);

    assertThat(fleet.runlane("runs", "get", old.id()).exitCode()).isZero();
  }

  @Test
  void queues_list_shows_what_living_processes_have_published() {
    Printed printed = fleet.runlane("queues", "list");

    assertThat(printed.out())
        .containsPattern("QUEUE +LIMIT +PROCESSES")
        .containsPattern("default +none +1")
        .containsPattern("one +1 +1");
    assertThat(fleet.json("queues", "list").path("data").findValuesAsText("queue"))
        .containsExactly("default", "one");
  }

  @Test
  void numbers_and_names_are_shown_however_long_they_are() {
    String number = "9".repeat(1_500);
    String name = "n".repeat(60_000);
    String payload = "{\"" + name + "\":" + number + "}";
    assertThat(
            fleet.runlane("trigger", "charge", "-p", payload, "-q", "default").exitCode())
        .isZero();
    String runId = fleet.json("runs", "list").path("data").path(0).path("id").asText();

    assertThat(fleet.runlane("runs", "get", runId, "--json").out()).contains(payload);
    assertThat(fleet.runlane("runs", "get", runId).out()).contains(name, number);
    assertThat(fleet.runlane("runs", "events", runId, "--json").out()).contains(payload);
  }
}
