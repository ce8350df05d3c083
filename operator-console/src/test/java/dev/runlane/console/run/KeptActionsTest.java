package dev.runlane.console.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.timing.Clock;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("what is kept of actions on many runs")
@DisplayNameGeneration(ReplaceUnderscores.class)
class KeptActionsTest {
  private static final Environment ENVIRONMENT = new Environment("default");
  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

  private final Store store = new Store();
  private final ManualTimers timers = new ManualTimers(ManualClock.at(NOW));
  private final KeptActions kept = at(() -> NOW);

  @Test
  void one_whose_answer_was_lost_as_it_was_kept_leaves_nothing() throws TimeoutException {
    store.answer = Future.failedFuture(
        RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "the storage is away"));

    Future<Void> begun = kept.begin(action("bulk_1"), Future::succeededFuture);

    assertThat(begun.cause()).hasMessageContaining("the storage is away");
    assertThat(told(kept)).isEmpty();
  }

  @Test
  void one_that_is_not_admitted_once_it_is_kept_leaves_nothing() throws TimeoutException {
    Promise<Void> answer = Promise.promise();
    store.answer = answer.future();
    Promise<Void> admission = Promise.promise();
    Future<Void> begun = kept.begin(action("bulk_1"), admission::future);
    admission.fail("it is closed");

    assertThat(begun.isComplete()).isFalse();
    answer.complete();

    assertThat(begun.cause()).hasMessage("it is closed");
    assertThat(told(kept)).isEmpty();
  }

  @Test
  void one_is_unfinished_once_nothing_was_told_of_it_for_a_minute_of_the_reader_whatever_its_clock()
      throws TimeoutException {
    KeptActions ahead = at(() -> NOW.plusSeconds(600));
    KeptActions behind = at(() -> NOW.minusSeconds(600));
    store.put(action("bulk_1"));

    assertThat(states(ahead)).containsExactly("running");
    assertThat(states(behind)).containsExactly("running");
    timers.advance(Duration.ofSeconds(40));
    store.put(action("bulk_1"));
    assertThat(states(ahead)).containsExactly("running");
    timers.advance(Duration.ofSeconds(40));
    assertThat(states(ahead)).containsExactly("running");
    timers.advance(Duration.ofSeconds(20));

    assertThat(states(ahead)).containsExactly("unfinished");
    assertThat(told(ahead).get(0).path("toldAt").asText()).isEqualTo(NOW.toString());
    store.put(action("bulk_1"));
    assertThat(states(ahead)).containsExactly("running");
  }

  @Test
  void one_that_was_long_silent_is_unfinished_to_who_sees_it_for_the_first_time()
      throws TimeoutException {
    store.put(action("bulk_1"));

    assertThat(states(at(() -> NOW.plusSeconds(2 * 3_600)))).containsExactly("unfinished");
  }

  private static List<String> states(KeptActions reader) throws TimeoutException {
    return told(reader).stream().map(each -> each.path("state").asText()).toList();
  }

  @Test
  void more_of_them_than_a_page_has_are_told_and_those_of_long_ago_are_removed_by_the_next()
      throws TimeoutException {
    for (int number = 0; number < 201; number++) {
      store.put(action("bulk_" + number));
    }

    assertThat(told(kept)).hasSize(201);
    KeptActions later = at(() -> NOW.plus(Duration.ofDays(8)));
    assertThat(told(later)).isEmpty();
    assertThat(told(kept)).as("who only looks removes none").hasSize(201);
    later.begin(action("bulk_next"), Future::succeededFuture).await(60, SECONDS);
    assertThat(told(kept)).hasSize(1);
  }

  @Test
  void a_filter_is_left_out_where_its_bytes_are_too_many_for_a_document() throws TimeoutException {
    ObjectNode filter = JsonNodeFactory.instance.objectNode();
    ArrayNode tasks = filter.putArray("task");
    for (int task = 0; task < 60; task++) {
      tasks.add("\u4efb".repeat(500)); // 3 bytes each
    }

    Future<Void> begun = kept.begin(action("bulk_1", filter), Future::succeededFuture);

    assertThat(begun.cause()).isNull();
    assertThat(told(kept).get(0).has("filter")).isFalse();
  }

  private KeptActions at(Clock clock) {
    return new KeptActions(store, ENVIRONMENT, clock, timers);
  }

  private static List<ObjectNode> told(KeptActions reader) throws TimeoutException {
    return reader.others(Set.of()).await(60, SECONDS);
  }

  private static BulkAction action(String id) {
    return action(id, JsonNodeFactory.instance.objectNode());
  }

  private static BulkAction action(String id, ObjectNode filter) {
    return new BulkAction(
        id,
        BulkKind.CANCEL,
        new BulkRuns(RunFilter.ALL, Map.of(), null),
        filter,
        RunActionOptions.by("ada").setReason("a flood"),
        "ada",
        100,
        NOW);
  }

  /** Stores documents, and answers when and as it is said. */
  private static final class Store extends ForwardingOperatorStore {
    private Future<Void> answer = Future.succeededFuture();

    Store() {
      super(new MemoryStorage().operator().orElseThrow());
    }

    /** As another console does that runs it. */
    void put(BulkAction action) {
      Json content =
          JsonValues.parseObject("the action", JsonTexts.write(action.body()), JsonLimits.PAYLOAD);
      super.putDocument(new PutDocument(
          ENVIRONMENT, "bulk_action", action.id(), null, content, action.by(), NOW));
    }

    @Override
    public Future<Optional<Long>> putDocument(PutDocument command) {
      return super.putDocument(command).compose(stored -> answer.map(stored));
    }
  }
}
