package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.execute;
import static dev.runlane.storage.pg.Scene.find;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.storage.step.PendingStepScene;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.step.ClaimDueSteps;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a later release wrote, who acted and how grave a line is, is shown as well as it can be, with all beside it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LaterRowsTest {
  private static final Actor ANNA = Actor.operator("anna");
  private static final Actor UNKNOWN = new Actor(Actor.Type.SYSTEM, "anna");

  private final Scene scene = Scene.open();
  private final PgStorageAdapter storage = scene.start();
  private final OperatorStore operator = storage.operator().orElseThrow();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void documents_actions_and_pauses_of_an_unknown_kind_of_actor_keep_its_id() {
    for (String name : List.of("a", "b")) {
      done(operator.putDocument(new PutDocument(
          ENVIRONMENT,
          "rule",
          name,
          null,
          JsonValues.parse("the content", "{}", JsonLimits.PAYLOAD),
          ANNA,
          NOON)));
      done(operator.recordAction(
          new RecordAction(ENVIRONMENT, name, ANNA, "queue.pause", "mail", null, NOON)));
      done(operator.pauseQueue(new PauseQueue(ENVIRONMENT, name, ANNA, null, NOON)));
    }
    change("operator_documents SET actor_type = 'agent' WHERE name = 'a'");
    change("operator_actions SET actor_type = 'agent' WHERE action_id = 'a'");
    change("paused_queues SET actor_type = 'agent' WHERE queue = 'a'");

    assertThat(done(operator.listDocuments(new ListDocuments(ENVIRONMENT, "rule", null, null)))
            .data())
        .extracting(OperatorDocument::actor)
        .containsExactly(UNKNOWN, ANNA);
    assertThat(
            done(operator.listActions(new ListActions(ENVIRONMENT, null, null))).data())
        .extracting(OperatorAction::actor)
        .containsExactlyInAnyOrder(UNKNOWN, ANNA);
    assertThat(done(operator.listPausedQueues(new ListPausedQueues(ENVIRONMENT))))
        .extracting(PausedQueue::actor)
        .containsExactly(UNKNOWN, ANNA);
  }

  @Test
  void a_line_of_an_unknown_level_is_one_of_information() {
    scene.store(TestRuns.queued("run"), storage);
    done(operator.appendLogLines(new AppendLogLines(
        ENVIRONMENT, List.of(line(1, LogLevel.ERROR), line(2, LogLevel.ERROR)))));
    change("log_lines SET level = 'fatal' WHERE number = 1");

    assertThat(done(operator.listLogLines(new ListLogLines(ENVIRONMENT, "run", null, null)))
            .data())
        .containsExactly(line(1, LogLevel.INFO), line(2, LogLevel.ERROR));
  }

  @Test
  void a_claimed_run_that_cannot_be_read_keeps_no_other_from_its_worker() {
    for (String id : List.of("run_a", "run_b", "run_c")) {
      scene.store(TestRuns.queued(id), storage);
    }
    change("run_events SET body = '{}' WHERE run_id = 'run_b' AND sequence = 1");

    assertThat(claim()).containsExactly("run_a", "run_c");
    assertThat(claim()).isEmpty();
  }

  @Test
  void runs_of_which_one_cannot_be_read_are_refused_with_its_id() {
    for (String id : List.of("run_a", "run_b", "run_c")) {
      scene.store(TestRuns.queued(id), storage);
    }
    change("run_events SET body = '{}' WHERE run_id = 'run_b' AND sequence = 1");

    assertThat(assertFails(
            storage.getRuns(new GetRuns(ENVIRONMENT, List.of("run_a", "run_b", "run_c"))),
            ErrorCode.INVARIANT_VIOLATION))
        .hasMessageContaining("run run_b cannot be read");
    assertThat(done(storage.getRuns(new GetRuns(ENVIRONMENT, List.of("run_a", "run_c")))))
        .hasSize(2);
  }

  @Test
  void a_claimed_step_that_cannot_be_read_keeps_no_other_from_its_dispatcher() {
    for (String id : List.of("run_a", "run_b", "run_c")) {
      RunRecord run = scene.store(TestRuns.running(id, NOON.plusSeconds(60)), storage);
      List<RunEvent> asked = List.of(PendingStepScene.request(run, 0, NOON));
      RunRecord asking = RunReducer.projectRunEvents(run, run.eventSequence(), asked);
      done(storage.appendRunEvents(AppendRunEvents.of(asking, asked, NOON)));
    }
    change("run_events SET body = '{}' WHERE run_id = 'run_b' AND type = 'run.step_requested'");

    assertThat(done(storage
            .steps()
            .orElseThrow()
            .claimDueSteps(new ClaimDueSteps(ENVIRONMENT, NOON, Duration.ofMinutes(1), 10))))
        .extracting(claimed -> claimed.step().runId())
        .containsExactly("run_a", "run_c");
  }

  @Test
  void a_claimed_wakeup_that_cannot_be_read_keeps_no_other_from_its_publisher() {
    for (String id : List.of("run_a", "run_b", "run_c")) {
      scene.store(TestRuns.queued(id), storage);
    }
    change("outbox_messages SET trace_carrier = '[' WHERE run_id = 'run_b'");

    assertThat(done(storage.claimOutboxMessages(new ClaimOutboxMessages(
            ENVIRONMENT, NOON.plusSeconds(60), Duration.ofMinutes(1), 10, null))))
        .extracting(claimed -> claimed.message().runId())
        .containsExactlyInAnyOrder("run_a", "run_c");
  }

  @Test
  void a_released_run_that_awaits_something_unknown_is_due_at_its_time() {
    scene.store(TestRuns.awaitingSteps("run_a", NOON), storage);
    execute(
        scene.connect(),
        "ALTER TABLE %s.active_runs DROP CONSTRAINT active_runs_awaiting"
            .formatted(scene.schema()));
    change("active_runs SET awaiting = 'signals'");

    assertThat(find(storage, "run_a").orElseThrow().awaiting()).isNull();
    assertThat(claim()).containsExactly("run_a");
  }

  private List<String> claim() {
    return Scene.claim(storage, List.of(Scene.DEFAULT_QUEUE), "tok", 10).runs().stream()
        .map(each -> each.run().id())
        .toList();
  }

  private void change(String update) {
    execute(scene.connect(), "UPDATE %s.%s".formatted(scene.schema(), update));
  }

  private static LogLine line(int number, LogLevel level) {
    return new LogLine("run", 1, number, NOON, level, "text", Map.of());
  }
}
