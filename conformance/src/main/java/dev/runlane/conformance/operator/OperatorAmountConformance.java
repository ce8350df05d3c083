package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.kit.Given.EMAILS;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.FAILURE;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunnableRunRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What operators are shown, count and do is the same for hundreds as for few. */
@DisplayName("many of what operators see")
public abstract class OperatorAmountConformance extends OperatorConformance {
  private static final int MANY = 600;
  private static final int LIMIT = 550;
  private static final int PAGE = 100;

  @Test
  @Rule("operator")
  void hundreds_of_messages_are_counted_listed_and_redriven_up_to_the_limit() {
    appendedAll(Race.times(MANY, i -> queued("run_" + i).creation()));
    List<ClaimedOutboxMessage> claimed = claimOutbox(NOON, MANY);
    done(storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        ENVIRONMENT,
        claimed.stream()
            .map(message -> new MarkOutboxMessagesDeadLettered.DeadLettered(
                message.id(), message.claimToken(), FAILURE))
            .toList(),
        NOON)));
    List<String> ids = claimed.stream().map(ClaimedOutboxMessage::id).sorted().toList();

    assertThat(ids).hasSize(MANY);
    assertThat(listed(OutboxMessageStatus.DEAD_LETTERED)).isEqualTo(ids);
    assertThat(redrive()).isEqualTo(ids.subList(0, LIMIT));
    assertThat(outbox()).isEqualTo(new OutboxDepth(LIMIT, 0, 0, MANY - LIMIT, NOON));
    assertThat(redrive()).isEqualTo(ids.subList(LIMIT, MANY));
    assertThat(listed(OutboxMessageStatus.PENDING)).isEqualTo(ids);
  }

  @Test
  @Rule("operator")
  void hundreds_of_runs_of_a_resumed_queue_are_counted_and_each_is_taken_once() {
    appendedAll(Race.times(MANY, i -> queued("run_" + (1_000 + i)).queue(EMAILS).creation()));
    done(operator.pauseQueue(new PauseQueue(ENVIRONMENT, "emails", ANNA, null, NOON)));
    done(operator.resumeQueue(new ResumeQueue(ENVIRONMENT, "emails")));

    List<String> taken = new ArrayList<>();
    for (int take = 0; take * 2 * PAGE < MANY; take++) {
      ResumedRuns some = done(operator.takeResumedRuns(new TakeResumedRuns(
              ENVIRONMENT,
              List.of("emails"),
              "tok_" + take,
              NOON,
              Duration.ofSeconds(3),
              MINUTE,
              2 * PAGE)))
          .orElseThrow();
      some.runs().stream().map(RunnableRunRef::runId).forEach(taken::add);
      done(operator.finishResumedRuns(new FinishResumedRuns(ENVIRONMENT, "tok_" + take, some)));
    }

    assertThat(taken).containsExactlyElementsOf(Race.times(MANY, i -> "run_" + (1_000 + i)));
    assertThat(sample()).containsExactly(new QueueDepth("emails", MANY, 0, 0, NOON));
    assertThat(done(operator.countRuns(new CountRuns(ENVIRONMENT, RunFilter.ALL, LIMIT)))
            .counts())
        .containsEntry(RunStatus.QUEUED, LIMIT);
    assertThat(done(operator.countRuns(new CountRuns(ENVIRONMENT, RunFilter.ALL, MANY + 1)))
            .counts())
        .containsEntry(RunStatus.QUEUED, MANY);
  }

  @Test
  @Rule("operator")
  void hundreds_of_partitions_that_hold_a_slot_are_listed_up_to_the_limit() {
    givenLeased(
        bounded(9),
        Race.times(MANY, i -> queued("run_" + i).concurrencyKey("key_" + (1_000 + i))),
        minutes(9));

    List<OccupiedPartition> occupied =
        done(operator.listOccupied(new ListOccupied(ENVIRONMENT, "bounded", NOON, LIMIT)));

    assertThat(occupied)
        .containsExactlyElementsOf(
            Race.times(LIMIT, i -> new OccupiedPartition("key_" + (1_000 + i), 1)));
  }

  @Test
  @Rule("operator")
  void hundreds_of_lines_of_a_run_are_kept_and_each_is_on_one_page() {
    given(queued("run_1"));
    List<LogLine> lines = Race.times(
        MANY, i -> new LogLine("run_1", 1, i + 1, NOON, LogLevel.INFO, "line " + i, Map.of()));

    done(operator.appendLogLines(new AppendLogLines(ENVIRONMENT, lines)));

    assertThat(pages(cursor ->
                operator.listLogLines(new ListLogLines(ENVIRONMENT, "run_1", PAGE, cursor)))
            .stream()
            .flatMap(List::stream))
        .containsExactlyElementsOf(lines);
  }

  private List<String> listed(OutboxMessageStatus status) {
    return pages(cursor -> operator.listOutbox(new ListOutbox(ENVIRONMENT, status, PAGE, cursor)))
        .stream()
        .flatMap(List::stream)
        .map(OutboxEntry::id)
        .toList();
  }

  private List<String> redrive() {
    return done(operator.redriveOutbox(new RedriveOutbox(ENVIRONMENT, null, LIMIT, NOON)));
  }

  private List<QueueDepth> sample() {
    assertThat(done(operator.takeSample(new TakeSample(ENVIRONMENT, NOON, MINUTE))))
        .isTrue();
    return done(operator.latestSample(new GetSample(ENVIRONMENT))).orElseThrow().queues();
  }

  private OutboxDepth outbox() {
    sample();
    return done(operator.latestSample(new GetSample(ENVIRONMENT))).orElseThrow().outbox();
  }
}
