package dev.runlane.conformance.lane;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.minutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.lane.Lane;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** In the view that a storage gives of itself, a run that is due when it is created wakes workers by itself. */
@DisplayName("creations that send their wakeups")
public abstract class CreationWakeupConformance extends LaneConformance {
  private Lane lane;
  private StorageAdapter view;
  private QueuePolicy queue;

  /** Opens the lane and takes the view of its storage. */
  @BeforeEach
  final void takeView() {
    lane = Outcomes.done(fixture.open());
    queue = QueuePolicy.unbounded(fixture.queue());
    view = lane.storage()
        .withWakeups(lane.transport())
        .orElseThrow(() -> new AssertionError("the storage sends nothing over this transport"));
  }

  @Test
  @Rule("wakeups")
  void a_run_that_is_due_wakes_its_queue_without_an_outbox_message() {
    RunRecord run = Outcomes.done(TestRuns.queued("run_1").queue(queue).storeIn(view));

    assertThat(heard())
        .isNotEmpty()
        .allMatch(each -> each.runId().equals("run_1")
            && each.environment().equals(ENVIRONMENT)
            && each.queue().equals(queue.queue()));
    assertThat(claimOutbox()).isEmpty();
    assertThat(Outcomes.done(lane.storage().getRun(new GetRun(ENVIRONMENT, "run_1"))))
        .contains(run);
  }

  @Test
  @Rule("wakeups")
  void its_wakeup_counts_as_published() {
    Outcomes.done(TestRuns.queued("run_1").queue(queue).storeIn(view));

    view.outbox().ifPresent(outbox -> assertThat(
            Outcomes.done(outbox.outboxMessagesOf(new GetRun(ENVIRONMENT, "run_1"))))
        .extracting(OutboxMessageState::status)
        .allMatch(status -> status == OutboxMessageStatus.PUBLISHED));
    assertThat(heard()).isNotEmpty();
  }

  @Test
  @Rule("wakeups")
  void of_many_runs_of_a_queue_that_are_created_at_once_one_at_least_is_named() {
    List<AppendRunEvents> creations = IntStream.range(0, 20)
        .mapToObj(number -> TestRuns.queued("run_" + number).queue(queue).creation())
        .toList();

    Outcomes.done(Future.all(creations.stream().map(view::appendRunEvents).toList()));

    assertThat(heard()).isNotEmpty().allMatch(each -> each.queue().equals(queue.queue()));
    assertThat(claimOutbox()).isEmpty();
  }

  @Test
  @Rule("wakeups")
  void a_run_that_is_due_later_keeps_its_message_and_wakes_nobody() {
    Outcomes.done(TestRuns.scheduled("run_1", minutes(1)).queue(queue).storeIn(view));

    assertThat(heard()).isEmpty();
    assertThat(claimOutbox())
        .extracting(ClaimedOutboxMessage::availableAt)
        .containsExactly(minutes(1));
  }

  @Test
  @Rule("wakeups")
  void appends_to_a_run_that_exists_keep_their_messages() {
    RunRecord released =
        Outcomes.done(TestRuns.released("run_1", NOON).queue(queue).storeIn(lane.storage()));
    claimOutbox(); // what its creation left

    Outcomes.done(view.appendRunEvents(
        Commands.append(released, NOON, Events.delivery(released, NOON, NOON))));

    assertThat(heard()).isEmpty();
    assertThat(claimOutbox()).hasSize(1);
  }

  @Test
  @Rule("wakeups")
  void a_creation_that_is_refused_wakes_nobody() {
    Outcomes.done(TestRuns.queued("run_1").queue(queue).storeIn(lane.storage()));

    Outcomes.assertConflict(
        view.appendRunEvents(TestRuns.queued("run_1").queue(queue).creation()),
        StorageConflictKind.EVENT_SEQUENCE);

    assertThat(heard()).isEmpty();
    assertThat(claimOutbox()).hasSize(1);
  }

  @Test
  @Rule("wakeups")
  void starting_the_view_does_nothing_and_closing_it_closes_nothing() {
    Outcomes.done(view.start());
    Outcomes.done(view.close());
    Outcomes.done(view.close());

    Outcomes.done(TestRuns.queued("run_1").queue(queue).storeIn(view));

    assertThat(view.capabilities()).isEqualTo(lane.storage().capabilities());
    assertThat(heard()).isNotEmpty();
    assertThat(Outcomes.done(lane.storage().getRun(new GetRun(ENVIRONMENT, "run_1"))))
        .isPresent();
  }

  @Test
  @Rule("wakeups")
  void no_transport_but_its_own_is_sent_over() {
    assertThat(lane.storage()
            .withWakeups(RecordingAdapter.transport(RecordingAdapter.newLog()).asTransport()))
        .isEmpty();
  }

  /** All that was sent, once the view says that nothing is on its way. */
  private List<DeliveryMessage> heard() {
    Outcomes.done(view.close());
    return Outcomes.done(fixture.received());
  }

  private List<ClaimedOutboxMessage> claimOutbox() {
    return Outcomes.done(lane.storage()
        .claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, NEXT_YEAR, MINUTE, 100, null)));
  }
}
