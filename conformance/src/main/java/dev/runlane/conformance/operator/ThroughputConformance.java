package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What became of runs, by minute, queue and task. */
@DisplayName("throughput by minutes")
public abstract class ThroughputConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void what_is_added_of_one_minute_queue_and_task_is_summed_number_by_number() {
    ThroughputBucket first = bucket(NOON, "mail", "send", 1);
    ThroughputBucket second = bucket(NOON.plusSeconds(59), "mail", "send", 1_000);
    add(first);
    add(second);

    assertThat(list(null, null)).containsExactly(first.plus(second));
  }

  @Test
  @Rule("operator")
  void minutes_are_listed_by_time_queue_and_task_in_pages() {
    add(
        bucket(minutes(1), "mail", "send", 1),
        bucket(NOON, "mail", "send", 2),
        bucket(NOON, "bills", "send", 3),
        bucket(NOON, "bills", "print", 4));

    assertThat(pages(cursor -> operator.listThroughput(
            new ListThroughput(ENVIRONMENT, NOON, minutes(9), null, null, 3, cursor))))
        .containsExactly(
            List.of(
                bucket(NOON, "bills", "print", 4),
                bucket(NOON, "bills", "send", 3),
                bucket(NOON, "mail", "send", 2)),
            List.of(bucket(minutes(1), "mail", "send", 1)));
  }

  @Test
  @Rule("operator")
  void a_list_is_of_the_queue_the_task_and_the_time_that_are_asked_for() {
    add(
        bucket(NOON.minusSeconds(60), "mail", "send", 1),
        bucket(NOON, "mail", "send", 2),
        bucket(NOON, "mail", "print", 3),
        bucket(NOON, "bills", "print", 4),
        bucket(minutes(9), "mail", "send", 5));

    assertThat(list("mail", null))
        .containsExactly(bucket(NOON, "mail", "print", 3), bucket(NOON, "mail", "send", 2));
    assertThat(list(null, "print"))
        .containsExactly(bucket(NOON, "bills", "print", 4), bucket(NOON, "mail", "print", 3));
    assertThat(list("bills", "send")).isEmpty();
  }

  @Test
  @Rule("operator")
  void of_many_processes_that_add_at_once_nothing_is_lost() {
    Race.Results<Void> race = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .addThroughput(new AddThroughput(
                ENVIRONMENT,
                List.of(bucket(NOON, "mail", "send", 1), bucket(NOON, "bills", "print", 1))))));

    assertThat(race.failures()).isEmpty();
    assertThat(list(null, null))
        .containsExactly(times(8, NOON, "bills", "print"), times(8, NOON, "mail", "send"));
  }

  @Test
  @Rule("operator")
  void the_earliest_minutes_before_an_instant_are_removed_up_to_a_limit() {
    add(
        bucket(NOON, "mail", "send", 1),
        bucket(minutes(1), "mail", "send", 1),
        bucket(minutes(2), "mail", "send", 1),
        bucket(minutes(3), "mail", "send", 1));

    assertThat(prune(ENVIRONMENT, minutes(3), 2)).isEqualTo(2);
    assertThat(list(null, null)).hasSize(2);
    assertThat(prune(ENVIRONMENT, minutes(3), 2)).isEqualTo(1);
    assertThat(prune(OTHER_ENVIRONMENT, minutes(9), 2)).isZero();
    assertThat(list(null, null)).containsExactly(bucket(minutes(3), "mail", "send", 1));
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_minutes() {
    add(bucket(NOON, "mail", "send", 1));

    assertThat(done(operator.listThroughput(
                new ListThroughput(OTHER_ENVIRONMENT, NOON, minutes(9), null, null, null, null)))
            .data())
        .isEmpty();
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused_and_nothing_of_them_is_counted() {
    for (List<ThroughputBucket> malformed : List.of(
        List.of(bucket(NOON, "mail", "send", 1), bucket(NOON, "", "send", 1)),
        List.of(bucket(NOON, "mail", "send", 1), bucket(NOON, "bills", "send", -1)),
        List.of(bucket(NOON, "mail", "send", 1), bucket(NOON, "mail", "send", 2)))) {
      assertFails(
          operator.addThroughput(new AddThroughput(ENVIRONMENT, malformed)),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.listThroughput(
            new ListThroughput(ENVIRONMENT, NOON, minutes(9), null, null, -1, null)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.pruneThroughput(new PruneThroughput(ENVIRONMENT, NOON, 0)),
        ErrorCode.VALIDATION_FAILED);
    assertThat(list(null, null)).isEmpty();
  }

  private void add(ThroughputBucket... buckets) {
    done(operator.addThroughput(new AddThroughput(ENVIRONMENT, List.of(buckets))));
  }

  private List<ThroughputBucket> list(@Nullable String queue, @Nullable String task) {
    return done(operator.listThroughput(
            new ListThroughput(ENVIRONMENT, NOON, minutes(9), queue, task, null, null)))
        .data();
  }

  private int prune(Environment environment, Instant olderThan, int limit) {
    return done(operator.pruneThroughput(new PruneThroughput(environment, olderThan, limit)));
  }

  /** In which each number differs from the one beside it. */
  private static ThroughputBucket bucket(Instant minute, String queue, String task, long first) {
    return ThroughputBucket.of(
        minute,
        queue,
        task,
        LongStream.range(0, ThroughputBucket.NUMBERS)
            .mapToObj(place -> first + place)
            .toList());
  }

  private static ThroughputBucket times(int count, Instant minute, String queue, String task) {
    ThroughputBucket sum = bucket(minute, queue, task, 1);
    for (int added = 1; added < count; added++) {
      sum = sum.plus(bucket(minute, queue, task, 1));
    }
    return sum;
  }
}
