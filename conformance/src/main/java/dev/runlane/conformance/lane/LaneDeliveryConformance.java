package dev.runlane.conformance.lane;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NEXT_YEAR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.lease;
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
import dev.runlane.run.RunStatus;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.read.GetRun;
import dev.runlane.transport.DeliveryExecutor;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A run goes all the way through a lane: stored, published, woken, executed. */
@DisplayName("delivering through a lane")
public abstract class LaneDeliveryConformance extends LaneConformance {
  @Test
  @Rule("L08")
  void a_run_is_stored_published_woken_and_executed() {
    Lane lane = Outcomes.done(fixture.open());
    QueuePolicy queue = QueuePolicy.unbounded(fixture.queue());
    Outcomes.done(TestRuns.queued("run_1").queue(queue).storeIn(lane.storage()));

    publishOutbox(lane);
    List<DeliveryMessage> wakeups = Outcomes.done(fixture.received());
    DeliveryExecutor executor = message -> execute(lane.storage(), queue, message);
    DeliveryResult first = Outcomes.done(executor.executeDelivery(wakeups.get(0)));
    DeliveryResult again = Outcomes.done(executor.executeDelivery(wakeups.get(0)));

    assertThat(wakeups)
        .containsExactly(new DeliveryMessage(ENVIRONMENT, "run_1", fixture.queue(), NOON, null));
    assertThat(first).isInstanceOfSatisfying(DeliveryResult.Executed.class, executed -> assertThat(
            executed.run().status())
        .isEqualTo(RunStatus.SUCCEEDED));
    assertThat(again).isEqualTo(new DeliveryResult.Ignored(IgnoredReason.TERMINAL));
    assertThat(claimOutbox(lane)).isEmpty();
  }

  @Test
  @Rule({"L04", "L05"})
  void an_open_lane_reports_what_its_adapters_report() {
    Lane lane = Outcomes.done(fixture.open());

    assertThat(lane.capabilities().storage()).isEqualTo(lane.storage().capabilities());
    assertThat(lane.capabilities().transport()).isEqualTo(lane.transport().capabilities());
    assertThat(lane.name()).isNotBlank();
  }

  private void publishOutbox(Lane lane) {
    List<ClaimedOutboxMessage> claimed = claimOutbox(lane);
    List<WakeupPublishOutcome> outcomes = Outcomes.done(lane.transport()
        .publishWakeups(new PublishWakeups(
            claimed.stream().map(ClaimedOutboxMessage::toAttempt).toList())));
    assertThat(outcomes).hasSize(1).allMatch(WakeupPublishOutcome::isPublished);
    Outcomes.done(lane.storage()
        .markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
            ENVIRONMENT,
            claimed.stream()
                .map(each ->
                    new MarkOutboxMessagesPublished.Published(each.id(), each.claimToken(), null))
                .toList(),
            NEXT_YEAR)));
  }

  private static List<ClaimedOutboxMessage> claimOutbox(Lane lane) {
    return Outcomes.done(lane.storage()
        .claimOutboxMessages(new ClaimOutboxMessages(ENVIRONMENT, NEXT_YEAR, MINUTE, 10, null)));
  }

  /** The least a consumer of wakeups does: read, claim, and write the outcome of one attempt. */
  private static Future<DeliveryResult> execute(
      StorageAdapter storage, QueuePolicy queue, DeliveryMessage message) {
    return storage.getRun(new GetRun(message.environment(), message.runId())).compose(found -> {
      RunRecord run = found.orElseThrow();
      return run.status().isTerminal()
          ? Future.succeededFuture(new DeliveryResult.Ignored(IgnoredReason.TERMINAL))
          : attempt(storage, queue, run);
    });
  }

  private static Future<DeliveryResult> attempt(
      StorageAdapter storage, QueuePolicy queue, RunRecord run) {
    return storage
        .claimRunLease(Commands.claim(run, queue, lease("tok_1", minutes(1)), NOON))
        .compose(claimed -> {
          RunRecord leased = claimed.orElseThrow().run();
          return storage.appendRunEvents(
              Commands.append(leased, NOON, Events.succeeded(leased, NOON)));
        })
        .map(ended -> new DeliveryResult.Executed(ended.run()));
  }
}
