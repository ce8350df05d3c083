package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.QueueInfo;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Names and queues are paused. */
@DisplayName("names and queues are paused")
public abstract class JobPauseConformance extends JobStoreConformance {
  @Test
  @Rule("J031")
  void a_paused_name_is_passed_over() {
    saveAll(job("a"), job("b"));

    Outcomes.done(store.pauseJobName(QUEUE, "a"));

    assertThat(Outcomes.done(store.getPausedJobNames(QUEUE))).containsExactly("a");
    assertThat(fetched().name()).isEqualTo("b");
    assertThat(isNothingFetched()).isTrue();
    Outcomes.done(store.resumeJobName(QUEUE, "a"));
    assertThat(fetched().name()).isEqualTo("a");
  }

  @Test
  @Rule("J032")
  void a_paused_queue_hands_out_nothing() {
    save(job("a"));

    Outcomes.done(store.pauseJobName(QUEUE, JobStore.ALL));

    assertThat(isNothingFetched()).isTrue();
    Outcomes.done(store.resumeJobName(QUEUE, JobStore.ALL));
    assertThat(fetched().name()).isEqualTo("a");
  }

  @Test
  @Rule({"J031", "J032"})
  void what_is_paused_is_handed_out_by_no_kind_of_fetch_whether_it_has_a_group_or_not() {
    saveAll(job("a"), inGroup("a", "blue"));
    List<FetchOptions> kinds = List.of(
        FetchOptions.ANY,
        FetchOptions.ANY.lastFirst(),
        FetchOptions.ANY.withGlobalConcurrency(9),
        FetchOptions.ANY.withGlobalConcurrency(9).lastFirst(),
        FetchOptions.ANY.withGroupConcurrency(9),
        FetchOptions.ANY.withGroupConcurrency(9).lastFirst());
    for (String paused : List.of(JobStore.ALL, "a")) {
      Outcomes.done(store.pauseJobName(QUEUE, paused));

      for (FetchOptions kind : kinds) {
        assertThat(fetch(2, kind, NOON))
            .as("%s while %s is paused", kind, paused)
            .isEmpty();
      }

      Outcomes.done(store.resumeJobName(QUEUE, paused));
    }
    assertThat(fetch(2, FetchOptions.ANY, NOON)).hasSize(2);
  }

  @Test
  @Rule("J235")
  void pauses_are_a_set_and_resuming_takes_back_one() {
    save(job("a"));
    Outcomes.done(store.pauseJobName(QUEUE, "a"));
    Outcomes.done(store.pauseJobName(QUEUE, "a"));
    Outcomes.done(store.pauseJobName(QUEUE, JobStore.ALL));
    assertThat(Outcomes.done(store.getPausedJobNames(QUEUE)))
        .containsExactlyInAnyOrder("a", JobStore.ALL);

    Outcomes.done(store.resumeJobName(QUEUE, "a"));

    assertThat(Outcomes.done(store.getPausedJobNames(QUEUE))).containsExactly(JobStore.ALL);
    assertThat(isNothingFetched()).isTrue();
    assertThat(Outcomes.done(store.getPausedJobNames(OTHER_QUEUE))).isEmpty();
  }

  @Test
  @Rule("J461")
  void lists_of_queues_say_what_is_paused_in_each() {
    saveAll(job("a"), job("b"));
    Outcomes.done(store.pauseJobName(QUEUE, "b"));
    Outcomes.done(store.pauseJobName(QUEUE, "a"));
    Outcomes.done(store.pauseJobName(OTHER_QUEUE, "c"));

    assertThat(onlyQueue().pausedNames()).containsExactly("a", "b");
    assertThat(onlyQueue().paused()).isFalse();
    Outcomes.done(store.pauseJobName(QUEUE, JobStore.ALL));
    Outcomes.done(store.resumeJobName(QUEUE, "a"));

    assertThat(onlyQueue().pausedNames()).containsExactly("b");
    assertThat(onlyQueue().paused()).isTrue();
  }

  private QueueInfo onlyQueue() {
    List<QueueInfo> queues = Outcomes.done(store.listQueues());
    assertThat(queues).hasSize(1);
    return queues.get(0);
  }

  @Test
  @Rule("J236")
  void a_pause_holds_for_every_store_on_the_state() {
    save(job("a"));

    Outcomes.done(other().pauseJobName(QUEUE, "a"));

    assertThat(isNothingFetched()).isTrue();
    Outcomes.done(other().resumeJobName(QUEUE, "a"));
    assertThat(fetched().name()).isEqualTo("a");
  }
}
