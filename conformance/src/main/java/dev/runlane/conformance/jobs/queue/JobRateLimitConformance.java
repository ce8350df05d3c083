package dev.runlane.conformance.jobs.queue;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.Obliterate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Hand-outs stay within a rate. */
@DisplayName("hand-outs stay within a rate")
public abstract class JobRateLimitConformance extends JobStoreConformance {
  private static final FetchOptions TWO =
      FetchOptions.ANY.withRateLimit(new RateLimit(2, Duration.ofSeconds(60)));

  @Test
  @Rule("J081")
  void the_third_hand_out_of_two_is_refused() {
    saveAll(job("a"), job("b"), job("c"));

    fetched(TWO);
    fetched(TWO);

    assertThat(isNothingFetched(TWO, NOON)).isTrue();
  }

  @Test
  @Rule("J082")
  void without_a_limit_there_is_none() {
    saveAll(job("a"), job("b"), job("c"), job("d"));
    fetch(2, TWO, NOON);
    assertThat(isNothingFetched(TWO, NOON)).isTrue();

    assertThat(fetch(5, FetchOptions.ANY, NOON)).hasSize(2);
  }

  @Test
  @Rule("J083")
  void after_the_window_it_goes_on() {
    FetchOptions one = FetchOptions.ANY.withRateLimit(new RateLimit(1, Duration.ofMillis(50)));
    saveAll(job("a"), job("b"));
    fetched(one);
    assertThat(isNothingFetched(one, after(49))).isTrue();

    assertThat(fetched(one, after(50)).name()).isEqualTo("b");
  }

  @Test
  @Rule("J084")
  void obliterating_a_queue_clears_its_window() {
    saveAll(job("a"), job("b"));
    fetch(2, TWO, NOON);
    save(job("c"));
    assertThat(isNothingFetched(TWO, NOON)).isTrue();
    Outcomes.done(store.obliterate(QUEUE, Obliterate.FORCED, NOON));

    save(job("d"));

    assertThat(fetched(TWO).name()).isEqualTo("d");
  }

  @Test
  @Rule("J295")
  void a_fetch_that_hands_nothing_out_is_not_counted() {
    for (int i = 0; i < 5; i++) {
      assertThat(isNothingFetched(TWO, NOON)).isTrue();
    }
    saveAll(job("a"), job("b"));

    assertThat(fetch(2, TWO, NOON)).hasSize(2);
  }

  @Test
  @Rule("J296")
  void fetches_without_a_limit_are_not_counted() {
    saveAll(job("a"), job("b"), job("c"));
    fetched();

    assertThat(fetch(2, TWO, NOON)).hasSize(2);
  }

  @Test
  @Rule("J297")
  void each_job_of_a_fetch_counts() {
    saveAll(job("a"), job("b"), job("c"));

    assertThat(fetch(3, TWO, NOON)).hasSize(2);
    assertThat(isNothingFetched(TWO, NOON)).isTrue();
  }

  @Test
  @Rule("J423")
  void a_fetch_that_comes_late_counts_what_others_got_meanwhile() {
    saveAll(job("a"), job("b"), job("c"), job("d"));
    fetch(2, TWO, NOON);
    assertThat(fetch(1, TWO, after(60_000))).hasSize(1);

    assertThat(isNothingFetched(TWO, after(59_000))).isTrue();
    assertThat(isNothingFetched(TWO, after(60_000).minus(RateLimit.MOST_LATE).plusMillis(1)))
        .isTrue();

    assertThat(fetch(2, TWO, after(60_000))).hasSize(1);
  }

  @Test
  @Rule("J438")
  void a_limit_of_hundreds_is_kept_too() {
    FetchOptions many = FetchOptions.ANY.withRateLimit(new RateLimit(250, Duration.ofSeconds(60)));
    saveAll(IntStream.range(0, 300).mapToObj(i -> job("a" + i)).toArray(NewJob[]::new));

    assertThat(fetch(200, many, NOON)).hasSize(200);
    assertThat(fetch(100, many, after(1_000))).hasSize(50);

    assertThat(isNothingFetched(many, after(59_999))).isTrue();
    assertThat(fetch(100, many, after(60_000))).hasSize(50);
  }

  @Test
  @Rule("J298")
  void the_window_slides() {
    saveAll(job("a"), job("b"), job("c"));
    fetched(TWO, NOON);
    fetched(TWO, after(30_000));

    assertThat(isNothingFetched(TWO, after(59_999))).isTrue();
    assertThat(fetched(TWO, after(60_000)).name()).isEqualTo("c");
  }

  @Test
  @Rule("J299")
  void the_window_is_one_for_all_workers_and_each_queue_has_its_own() {
    saveAll(job("a"), job("b"), job("c"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("d"), NOON));

    assertThat(fetchedBy(QUEUE, "one", TWO, NOON)).hasSize(1);
    assertThat(fetchedBy(QUEUE, "two", TWO, after(1))).hasSize(1);

    assertThat(fetchedBy(QUEUE, "three", TWO, after(2))).isEmpty();
    assertThat(fetchedBy(OTHER_QUEUE, "three", TWO, after(2))).hasSize(1);
  }

  @Test
  @Rule("J299")
  void a_longer_window_counts_what_was_handed_out_within_a_shorter_one() {
    FetchOptions minute = FetchOptions.ANY.withRateLimit(new RateLimit(3, Duration.ofSeconds(60)));
    FetchOptions second = FetchOptions.ANY.withRateLimit(new RateLimit(1, Duration.ofSeconds(1)));
    saveAll(job("a"), job("b"), job("c"), job("d"), job("e"));

    assertThat(fetchedBy(QUEUE, "slow", minute, NOON)).hasSize(1);
    assertThat(fetchedBy(QUEUE, "fast", second, after(20_000))).hasSize(1);
    assertThat(fetchedBy(QUEUE, "fast", second, after(40_000))).hasSize(1);

    assertThat(fetchedBy(QUEUE, "slow", minute, after(59_999))).isEmpty();
    assertThat(fetchedBy(QUEUE, "slow", minute, after(60_000))).hasSize(1);
    assertThat(fetchedBy(QUEUE, "slow", minute, after(60_000))).isEmpty();
  }

  @Test
  @Rule("J299")
  void a_shorter_window_counts_what_was_handed_out_within_a_longer_one() {
    FetchOptions second = FetchOptions.ANY.withRateLimit(new RateLimit(1, Duration.ofSeconds(1)));
    saveAll(job("a"), job("b"));

    assertThat(fetchedBy(QUEUE, "slow", TWO, NOON)).hasSize(1);

    assertThat(fetchedBy(QUEUE, "fast", second, after(999))).isEmpty();
    assertThat(fetchedBy(QUEUE, "fast", second, after(1_000))).hasSize(1);
  }

  private List<JobData> fetchedBy(
      String queueName, String worker, FetchOptions options, Instant now) {
    return Outcomes.done(
        store.fetchNextJobs(FetchJobs.one(queueName, worker, LOCK, now).with(options)));
  }
}
