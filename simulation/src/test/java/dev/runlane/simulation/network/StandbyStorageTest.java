package dev.runlane.simulation.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.run.AppendRunEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StandbyStorageTest {
  private static final Environment ENVIRONMENT = new Environment("default");

  private final VirtualTime time = new VirtualTime((life, thrown) -> {});
  private final StandbyStorage standby = new StandbyStorage(time, 7);
  private final StorageAdapter storage = standby.storage();

  @Test
  void what_was_stored_last_is_gone_and_what_was_before_is_as_it_was() {
    RunRecord kept = create("run_1");
    String message = message("run_1").id();
    pass(Duration.ofSeconds(3));
    create("run_2");
    pass(Duration.ofSeconds(1));

    standby.failOver(Duration.ofSeconds(2));

    assertThat(storage.getRun(new GetRun(ENVIRONMENT, "run_1")).result()).contains(kept);
    assertThat(storage.getRun(new GetRun(ENVIRONMENT, "run_2")).result()).isEmpty();
    assertThat(message("run_1").id()).isEqualTo(message);
    create("run_2");
    assertThat(storage.getRun(new GetRun(ENVIRONMENT, "run_2")).result()).isPresent();
  }

  @Test
  void claims_and_marks_of_before_hold_through_one_takeover_after_the_other() {
    create("run_1");
    pass(Duration.ofSeconds(1));
    List<ClaimedOutboxMessage> claimed = claim();
    pass(Duration.ofSeconds(1));
    standby.failOver(Duration.ZERO);
    pass(Duration.ofSeconds(1));

    storage.markOutboxMessagesPublished(new MarkOutboxMessagesPublished(
        ENVIRONMENT,
        List.of(new MarkOutboxMessagesPublished.Published(
            claimed.get(0).id(), claimed.get(0).claimToken(), null)),
        time.instant()));
    create("run_2");
    String second = message("run_2").id();
    pass(Duration.ofSeconds(1));
    standby.failOver(Duration.ZERO);

    assertThat(message("run_1").status()).isEqualTo(OutboxMessageStatus.PUBLISHED);
    assertThat(message("run_2").id()).isEqualTo(second);
  }

  @Test
  void a_claim_that_was_lost_is_made_again_with_another_token() {
    create("run_1");
    pass(Duration.ofSeconds(3));
    String lost = claim().get(0).claimToken();

    standby.failOver(Duration.ofSeconds(1));

    assertThat(claim())
        .singleElement()
        .extracting(ClaimedOutboxMessage::claimToken)
        .isNotEqualTo(lost);
  }

  private void pass(Duration span) {
    time.after(VirtualTime.micros(span), Lifetime.WORLD, () -> {});
    time.runUntil(time.now() + VirtualTime.micros(span));
  }

  private RunRecord create(String id) {
    Instant now = time.instant();
    EventHeader header = EventHeader.bySystem(ENVIRONMENT, id, now);
    List<RunEvent> events = List.of(
        new RunEvent.Created(
            header,
            "task",
            "open",
            Json.ofChecked("{}"),
            null,
            RunKeys.NONE,
            RunSource.TRIGGER,
            Map.of()),
        new RunEvent.DeliveryRequested(
            header, new DeliveryIntent(ENVIRONMENT, id, "open", now, now, null, null)));
    RunRecord projected = RunReducer.projectRunEvents(null, 0, events);
    return storage
        .appendRunEvents(AppendRunEvents.of(projected, events, now))
        .result()
        .run();
  }

  private List<ClaimedOutboxMessage> claim() {
    return storage
        .claimOutboxMessages(
            new ClaimOutboxMessages(ENVIRONMENT, time.instant(), Duration.ofSeconds(30), 10, null))
        .result();
  }

  private OutboxMessageState message(String run) {
    return storage
        .outbox()
        .orElseThrow()
        .outboxMessagesOf(new GetRun(ENVIRONMENT, run))
        .result()
        .get(0);
  }
}
