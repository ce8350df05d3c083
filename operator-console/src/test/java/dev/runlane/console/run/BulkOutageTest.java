package dev.runlane.console.run;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.memory.MemoryTransport;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("an action on many runs while the storage is away")
@DisplayNameGeneration(ReplaceUnderscores.class)
class BulkOutageTest {
  private static final int FAILED = 3;
  private static final RunActionOptions ADA =
      RunActionOptions.by("ada").setReason("the bank is open again");

  private final Vertx vertx = Vertx.vertx();
  private final Storage storage = new Storage();
  private final ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
  private final Task<JsonObject> fails = Task.define("fails", JsonObject.class)
      .retry(RetryPolicy.NONE)
      .handler((payload, context) -> Future.failedFuture(new IllegalStateException("broken")));
  private final Runlane runlane = Runlane.builder(
          vertx,
          Lanes.create(
              storage,
              new MemoryTransport(),
              new LaneOptions().setName("away").setOperatorReads(true).setProductionDurable(false)))
      .queue(TaskQueue.of("mail").asDefault())
      .task(fails)
      .build();
  private final List<RunRecord> failed = new ArrayList<>();

  @BeforeEach
  void trigger() throws TimeoutException {
    await(runlane.start());
    for (int run = 0; run < FAILED; run++) {
      failed.add(
          await(runlane.trigger(fails, new JsonObject(), new TriggerOptions())).run());
      await(runlane.executeNext());
    }
  }

  @AfterEach
  void close() throws TimeoutException {
    await(runlane.close());
    await(vertx.close());
  }

  @Test
  void a_run_whose_answer_was_lost_is_not_made_twice() throws TimeoutException {
    storage.lostAnswers = 1;
    BulkAction action = action(null);

    assertThat(await(worked(action))).isEqualTo("3 done, 0 failed, done");
    assertThat(retries()).isEqualTo(FAILED);
  }

  @Test
  void an_outage_that_ends_delays_it_alone() throws TimeoutException {
    storage.refusals = 7;
    BulkAction action = action(null);

    assertThat(await(worked(action))).isEqualTo("3 done, 0 failed, done");
    assertThat(retries()).isEqualTo(FAILED);
  }

  @Test
  void an_outage_that_goes_on_ends_it_and_another_goes_on_with_the_rest() throws TimeoutException {
    storage.leftRetries = 1;
    BulkAction action = action(null);
    Future<String> worked = worked(action);
    action.ended(worked.succeeded(), Instant.EPOCH);
    ObjectNode told = action.body();
    storage.leftRetries = Integer.MAX_VALUE;
    storage.refusals = 0;
    BulkAction rest = action(Instant.parse(told.path("reachedCreatedAt").asText()));

    assertThat(worked.cause())
        .hasMessageStartingWith(
            "1 done, 1 failed, failed; createdFrom " + failed.get(1).createdAt() + " goes on: ");
    assertThat(told.path("state").asText()).isEqualTo("failed");
    assertThat(told.path("failures").path("storage_unavailable").asInt()).isEqualTo(1);
    assertThat(await(worked(rest))).isEqualTo("2 done, 0 failed, done");
    assertThat(retries()).isEqualTo(FAILED);
  }

  @Test
  void one_that_comes_to_no_run_says_that_there_are_some_left_until_another_has_done_all()
      throws TimeoutException {
    storage.refusals = Integer.MAX_VALUE;
    BulkAction none = action(null);
    Future<String> worked = worked(none);
    none.ended(worked.succeeded(), Instant.EPOCH);
    storage.refusals = 0;
    BulkAction all = action(null);
    await(worked(all));
    all.ended(true, Instant.EPOCH);

    assertThat(none.body().path("state").asText()).isEqualTo("failed");
    assertThat(none.body().has("reachedCreatedAt")).isFalse();
    assertThat(none.body().path("hasLeft").asBoolean()).isTrue();
    assertThat(none.isWhole()).isFalse();
    assertThat(all.body().path("hasLeft").asBoolean()).isFalse();
    assertThat(all.isWhole()).isTrue();
  }

  private BulkAction action(Instant createdFrom) {
    RunFilter filter = RunFilter.ALL
        .withStatuses(Set.of(RunStatus.FAILED))
        .withCreated(createdFrom, failed.get(FAILED - 1).createdAt().plusMillis(1));
    return new BulkAction(
        "bulk_1",
        BulkKind.RETRY,
        new BulkRuns(filter, Map.of(), null),
        JsonNodeFactory.instance.objectNode(),
        ADA,
        "ada",
        100,
        Instant.EPOCH);
  }

  /** What becomes of it; time goes on whenever it waits. */
  private Future<String> worked(BulkAction action) {
    Ids ids = new Ids(Clock.system(), Randomness.system());
    Future<String> worked = action.work(runlane.runs(), ids, timers);
    while (!worked.isComplete()) {
      timers.untilNext().ifPresent(timers::advance);
    }
    return worked;
  }

  private long retries() throws TimeoutException {
    Page<RunSummary> all =
        await(runlane.runs().list(RunFilter.ALL, RunSort.NEWEST_FIRST, 200, null));
    return all.data().size() - FAILED;
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, SECONDS);
  }

  /** Refuses calls, or stores a retry and loses the answer and the next read. */
  private static final class Storage extends ForwardingStorageAdapter {
    private volatile int refusals;
    private volatile int lostAnswers;
    private volatile int leftRetries = Integer.MAX_VALUE;

    Storage() {
      super(new MemoryStorage());
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      boolean isRetry = command.events().get(0) instanceof RunEvent.Created created
          && created.source().type() == RunSource.Type.MANUAL_RETRY;
      if (isRetry && leftRetries-- <= 0) {
        refusals = Integer.MAX_VALUE;
      }
      if (isRetry && lostAnswers > 0) {
        lostAnswers--;
        refusals = 1;
        return super.appendRunEvents(command).compose(stored -> away());
      }
      return isAway() ? away() : super.appendRunEvents(command);
    }

    @Override
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      return isAway() ? away() : super.getRun(query);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return isAway() ? away() : super.listRuns(query);
    }

    private boolean isAway() {
      if (refusals == 0) {
        return false;
      }
      refusals--;
      return true;
    }

    private static <T> Future<T> away() {
      return Future.failedFuture(
          RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "the storage is away"));
    }
  }
}
