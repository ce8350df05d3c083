package dev.runlane.runtime.process;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Reads of single runs that go to the storage together. */
class RunReadsTest {
  private static final int MOST_WAITING = 100_000;
  private static final int MOST_RUNS = 200;

  private final Fleet fleet = new Fleet();
  private final Task<String> task = Task.define("task", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  private final Runlane runlane = fleet.process(task);
  private final RunReads reads = new RunReads(runlane.context());

  private int queries() {
    return fleet.faults.calls("getRuns");
  }

  /** Two reads are under way; what is asked for now waits. */
  private List<Promise<Void>> busy() {
    List<Promise<Void>> replies =
        List.of(fleet.faults.hold("getRuns"), fleet.faults.hold("getRuns"));
    reads.read("run_1");
    reads.read("run_2");
    assertThat(queries()).isEqualTo(2);
    return replies;
  }

  @Test
  void readers_of_the_same_run_share_the_next_query_which_names_at_most_two_hundred_runs() {
    RunRecord run = done(runlane.trigger(task, "x")).run();
    List<Promise<Void>> replies = busy();
    List<Future<Optional<RunRecord>>> same = List.of(reads.read(run.id()), reads.read(run.id()));
    List<Future<Optional<RunRecord>>> others = new ArrayList<>();
    for (int other = 0; other < MOST_RUNS; other++) {
      others.add(reads.read("run_other_" + other));
    }

    replies.get(0).complete();
    assertThat(queries()).as("one for the first 200, one for the rest").isEqualTo(4);

    assertThat(same).allSatisfy(read -> assertThat(done(read)).contains(run));
    assertThat(others).allSatisfy(read -> assertThat(done(read)).isEmpty());
  }

  @Test
  void a_read_is_refused_when_too_many_wait_and_accepted_when_they_are_answered() {
    List<Promise<Void>> replies = busy();
    Future<Optional<RunRecord>> waiting = reads.read("run_3");
    for (int reader = 1; reader < MOST_WAITING; reader++) {
      reads.read("run_3");
    }

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, reads.read("run_3"));

    replies.get(0).complete();
    assertThat(done(waiting)).isEmpty();
    assertThat(done(reads.read("run_3"))).isEmpty();
  }

  @Test
  void a_query_that_fails_fails_its_readers_alone() {
    List<Promise<Void>> replies = busy();
    fleet.faults.fail("getRuns");
    Future<Optional<RunRecord>> waiting = reads.read("run_3");

    replies.get(0).complete();

    assertFails(ErrorCode.STORAGE_UNAVAILABLE, waiting);
    assertThat(done(reads.read("run_3"))).isEmpty();
  }
}
