package dev.runlane.console.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.timing.Clock;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
  private static final Environment ENVIRONMENT = Environment.DEFAULT;
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

  private KeptActions at(Clock clock) {
    return new KeptActions(store, ENVIRONMENT, clock, timers);
  }

  private static List<ObjectNode> told(KeptActions reader) throws TimeoutException {
    return reader.others(Set.of()).await(20, SECONDS);
  }

  private static BulkAction action(String id) {
    return action(id, JsonNodeFactory.instance.objectNode());
  }

  private static BulkAction action(String id, ObjectNode filter) {
    return new BulkAction(
        id,
        BulkKind.CANCEL,
        RunFilter.ALL,
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

    @Override
    public Future<Optional<Long>> putDocument(PutDocument command) {
      return super.putDocument(command).compose(stored -> answer.map(stored));
    }
  }
}
