package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.IDS;
import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.RunStoreContract;
import dev.runlane.connector.store.StoreCase;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.connector.store.timeline.TimelinePage;
import dev.runlane.run.Json;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PgRunStoreTest extends RunStoreContract {
  private final PgScene postgres = new PgScene();

  @Override
  protected StoreCase scene() {
    return postgres.open();
  }

  @AfterEach
  void close() {
    postgres.close();
  }

  @Test
  void a_page_of_large_events_ends_before_it_has_8_MiB_of_data() {
    StoreCase scene = scene();
    ActiveRun run = scene.running("run_1");
    Json large = Json.ofChecked("{\"cursor\":\"" + "x".repeat(2_000_000) + "\"}");
    for (int i = 0; i < 6; i++) {
      scene.tell(
          run, TimelineEvent.of(IDS, TimelineEventType.STATE_STAGED, "succeeded", NOON, large));
    }

    TimelinePage first = done(scene.store.timeline().read(ReadTimeline.of("run_1")));
    long after = first.events().get(first.events().size() - 1).sequence();
    TimelinePage second = done(
        scene.store.timeline().read(new ReadTimeline("run_1", after, ReadTimeline.MOST_EVENTS)));

    assertThat(first.events()).hasSize(4);
    assertThat(first.more()).isTrue();
    assertThat(second.events()).hasSize(2);
    assertThat(second.more()).isFalse();
  }
}
