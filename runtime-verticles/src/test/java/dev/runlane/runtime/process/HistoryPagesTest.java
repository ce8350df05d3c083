package dev.runlane.runtime.process;

import static dev.runlane.runtime.MaintenanceFleet.ENVIRONMENT;
import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.memory.MemoryTransport;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What an attempt reads of its run's history while the storage is away. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HistoryPagesTest {
  private static final Duration LEASE = RunlaneOptions.DEFAULT_LEASE_DURATION;

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final MaintenanceFleet.Process process = fleet.process();
  private boolean over;

  private Future<Page<RunEventRecord>> read() {
    String runId = fleet.create("run_1", MaintenanceFleet.QUEUE).id();
    return new HistoryPages(process.context())
        .read(
            new ListRunEvents(
                ENVIRONMENT, RunEventFilter.ofRun(runId), RunEventSort.HISTORY, 200, null),
            () -> over);
  }

  /** The next calls are answered after so long, and with an outage. */
  private void failNext(int calls, Duration after) {
    for (int call = 0; call < calls; call++) {
      process.storage.next("listRunEvents", real -> () -> outage(after));
    }
  }

  private Future<?> outage(Duration after) {
    return fleet.timers.after(after).compose(late -> Future.failedFuture(ScriptedStorage.outage()));
  }

  private static void assertOutage(Future<?> read) {
    assertThat(((RunlaneException) failure(read)).code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
  }

  @Test
  void an_outage_of_some_seconds_only_delays_it() {
    failNext(8, Duration.ofSeconds(1));

    Future<Page<RunEventRecord>> read = read();
    fleet.advance(LEASE);

    assertThat(await(read).data()).isNotEmpty();
  }

  @Test
  void so_does_one_that_outlasts_a_lease_while_the_lease_of_the_attempt_is_renewed() {
    failNext(50, Duration.ofMillis(1));

    Future<Page<RunEventRecord>> read = read();
    fleet.advance(LEASE.multipliedBy(3));
    assertThat(read.isComplete()).isFalse();
    fleet.advance(LEASE);

    assertThat(await(read).data()).isNotEmpty();
  }

  @Test
  void so_does_one_of_hours_and_thousands_of_tries() {
    failNext(5_000, Duration.ofMillis(1));

    Future<Page<RunEventRecord>> read = read();
    fleet.advance(Duration.ofHours(4));

    assertThat(await(read).data()).isNotEmpty();
  }

  @Test
  void an_attempt_that_is_over_reads_no_more() {
    failNext(1_000, Duration.ofSeconds(1));

    Future<Page<RunEventRecord>> read = read();
    over = true;
    fleet.advance(Duration.ofSeconds(1));

    assertOutage(read);
    assertThat(process.storage.calls("listRunEvents")).isEqualTo(1);
  }

  @Test
  void a_try_for_which_no_timer_can_be_set_fails_it() {
    Timers closed = new Timers() {
      @Override
      public Timer schedule(Duration delay, Runnable action) {
        throw new RejectedExecutionException("Vert.x is closed");
      }

      @Override
      public Duration elapsed() {
        return fleet.timers.elapsed();
      }
    };
    MemoryStorage storage = new MemoryStorage(new Ids(fleet.clock, Randomness.seeded(1)));
    RuntimeContext context = Runlane.builder(
            RuntimeHost.singleThread(closed), Lanes.create(storage, new MemoryTransport()))
        .clock(fleet.clock)
        .queue(TaskQueue.of("default").asDefault())
        .build()
        .context();

    Future<?> end = context.retrying(
        () -> Future.failedFuture(ScriptedStorage.outage()),
        failure -> Optional.of(Duration.ofSeconds(1)));

    assertThat(failure(end)).hasMessage("Vert.x is closed");
  }
}
