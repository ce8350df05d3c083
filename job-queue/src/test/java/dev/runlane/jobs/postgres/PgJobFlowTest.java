package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.completeAll;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishResult;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What the end of a child writes of its parent, whose row grows with the number of children. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobFlowTest {
  private final JobScene scene = JobScene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_child_that_ends_writes_neither_payload_nor_children_of_its_parent() {
    PgJobStore store = scene.connected();
    JobOptions inGroup = JobOptions.builder().group(JobGroup.of("group")).build();
    List<String> children = List.of("one", "two", "three");
    done(store.saveFlow(
        List.of(
            new FlowNode(QUEUE, job("parent", inGroup).withId("parent").parentOf(children)),
            new FlowNode(QUEUE, job("child").withId("one").childOf(QUEUE, "parent")),
            new FlowNode(QUEUE, job("child").withId("two").childOf(QUEUE, "parent")),
            new FlowNode(QUEUE, job("child").withId("three").childOf(QUEUE, "parent"))),
        NOON));
    List<JobData> running = done(store.fetchNextJobs(fetching(3, FetchOptions.ANY)));
    scene.sql("""
        CREATE FUNCTION {s}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'not this one';
        END $$;
        CREATE TRIGGER refuse BEFORE UPDATE OF children, data ON {s}.jobs
          FOR EACH ROW WHEN (NEW.id = 'parent') EXECUTE FUNCTION {s}.refuse()
        """);

    assertThat(completeAll(store, running.subList(0, 1)))
        .singleElement()
        .isInstanceOf(FinishResult.Finished.class);
    assertThat(parent(store).state()).isEqualTo(JobState.WAITING_CHILDREN);
    assertThat(parent(store).pendingChildrenCount()).isEqualTo(2);
    completeAll(store, running.subList(1, 3));

    assertThat(parent(store).state()).isEqualTo(JobState.WAITING);
    assertThat(parent(store).pendingChildrenCount()).isZero();
    scene.sql("DROP TRIGGER refuse ON {s}.jobs");
    assertThat(done(store.fetchNextJobs(fetching(1, FetchOptions.ANY.withGroupConcurrency(1)))))
        .extracting(JobData::id)
        .containsExactly("parent");
  }

  private static JobData parent(PgJobStore store) {
    return done(store.getJob(QUEUE, "parent")).orElseThrow();
  }
}
