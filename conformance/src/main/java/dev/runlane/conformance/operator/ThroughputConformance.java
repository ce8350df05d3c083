package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.FoldedThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  void minutes_are_added_up_over_steps_by_queue_by_task_or_over_all() {
    ThroughputBucket first = bucket(minutes(59), "mail", "send", 1);
    ThroughputBucket second = bucket(minutes(60), "mail", "send", 10);
    ThroughputBucket third = bucket(minutes(61), "mail", "print", 100);
    ThroughputBucket fourth = bucket(minutes(119), "bills", "print", 1_000);
    add(first, third);
    add(second);
    add(fourth);
    add(first); // of a minute that is there

    for (int length : List.of(1, 5, 60)) {
      Duration step = Duration.ofMinutes(length);
      assertThat(fold(step, FoldThroughput.By.NONE))
          .as("all in steps of %d minutes", length)
          .isEqualTo(
              folded(step, FoldThroughput.By.NONE, List.of(first, first, second, third, fourth)));
      assertThat(fold(step, FoldThroughput.By.QUEUE))
          .as("queues in steps of %d minutes", length)
          .isEqualTo(
              folded(step, FoldThroughput.By.QUEUE, List.of(first, first, second, third, fourth)));
      assertThat(fold(step, FoldThroughput.By.TASK))
          .as("tasks in steps of %d minutes", length)
          .isEqualTo(
              folded(step, FoldThroughput.By.TASK, List.of(first, first, second, third, fourth)));
    }
    assertThat(fold(Duration.ofHours(1), FoldThroughput.By.QUEUE))
        .extracting(ThroughputBucket::minute, ThroughputBucket::queue, ThroughputBucket::taskId)
        .containsExactly(
            tuple(NOON, "mail", "all"),
            tuple(minutes(60), "bills", "all"),
            tuple(minutes(60), "mail", "all"));
  }

  @Test
  @Rule("operator")
  void steps_are_of_the_queue_the_task_and_the_time_that_are_asked_for() {
    Duration hour = Duration.ofHours(1);
    for (int minute = 0; minute < 180; minute += 7) {
      add(
          bucket(minutes(minute), "mail", "send", 1 + minute),
          bucket(minutes(minute), "mail", "print", 1_000 + minute),
          bucket(minutes(minute), "bills", "print", 2_000 + minute));
    }
    List<ThroughputBucket> all = all();

    for (int until : List.of(60, 61, 66, 119, 179)) {
      assertThat(fold(minutes(60), minutes(until), hour, "mail", "print"))
          .as("until minute %d", until)
          .isEqualTo(folded(
              hour,
              FoldThroughput.By.NONE,
              all.stream()
                  .filter(each -> each.queue().equals("mail") && each.taskId().equals("print"))
                  .filter(each -> !each.minute().isBefore(minutes(60))
                      && each.minute().isBefore(minutes(until)))
                  .toList()));
    }
    assertThat(fold(minutes(60), minutes(179), hour, "bills", "send")).isEmpty();
    assertThat(done(operator.foldThroughput(new FoldThroughput(
            OTHER_ENVIRONMENT, NOON, minutes(180), hour, FoldThroughput.By.NONE, null, null))))
        .isEqualTo(new FoldedThroughput(NOON, List.of()));
  }

  @Test
  @Rule("operator")
  void the_time_of_steps_is_cut_to_microseconds() {
    add(bucket(NOON, "mail", "send", 1), bucket(minutes(1), "mail", "send", 1));

    Duration step = Duration.ofMinutes(1);
    assertThat(fold(NOON.plusNanos(999), minutes(1).plusNanos(999), step, null, null))
        .extracting(ThroughputBucket::minute)
        .containsExactly(NOON);
  }

  @Test
  @Rule("operator")
  void of_many_processes_that_add_at_once_no_step_lacks_any() {
    List<String> names = List.of("a", "b", "c", "d");
    Race.Results<Void> race = race(Race.times(
        8,
        i -> adapter -> adapter
            .operator()
            .orElseThrow()
            .addThroughput(new AddThroughput(
                ENVIRONMENT,
                Race.times(4, j -> bucket(minutes((i + j) % 3), names.get((i + j) % 4), "send", 1))
                    .stream()
                    .toList()))));

    assertThat(race.failures()).isEmpty();
    assertThat(fold(NOON, minutes(5), Duration.ofMinutes(5), null, "send"))
        .containsExactly(times(32, NOON, "all", "all"));
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
  void steps_of_which_some_minutes_are_removed_still_have_those_that_are_left() {
    for (int minute = 0; minute < 150; minute += 5) {
      ThroughputBucket bucket = bucket(minutes(minute), "mail", "send", 1 + minute);
      add(bucket);
      done(operator.addThroughput(new AddThroughput(OTHER_ENVIRONMENT, List.of(bucket))));
    }
    List<ThroughputBucket> before = all();

    assertThat(prune(ENVIRONMENT, minutes(62), 100)).isEqualTo(13);

    List<ThroughputBucket> left = all();
    assertThat(left).hasSize(17);
    for (int length : List.of(1, 5, 30, 60)) {
      Duration step = Duration.ofMinutes(length);
      Instant from = minutes(length == 1 ? 62 : length == 5 ? 65 : length == 30 ? 90 : 120);
      List<ThroughputBucket> whole =
          left.stream().filter(each -> !each.minute().isBefore(from)).toList();
      assertThat(fold(from, minutes(180), step, null, null))
          .as("steps of %d minutes of which none is removed", length)
          .isEqualTo(folded(step, FoldThroughput.By.NONE, whole));
      assertThat(done(operator.foldThroughput(new FoldThroughput(
                  OTHER_ENVIRONMENT, NOON, minutes(180), step, FoldThroughput.By.NONE, null, null)))
              .data())
          .as("steps of %d minutes where nothing is removed", length)
          .isEqualTo(folded(step, FoldThroughput.By.NONE, before));
    }
    assertThat(fold(minutes(60), minutes(120), Duration.ofHours(1), null, null))
        .as("an hour that began before what is removed may still have all of it, but lacks none")
        .hasSize(1);
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
    for (Duration step : List.of(
        Duration.ofSeconds(59),
        Duration.ofSeconds(61),
        Duration.ZERO,
        Duration.ofDays(1).plusMinutes(1))) {
      assertFails(
          operator.foldThroughput(new FoldThroughput(
              ENVIRONMENT, NOON, minutes(9), step, FoldThroughput.By.NONE, null, null)),
          ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.foldThroughput(new FoldThroughput(
            ENVIRONMENT,
            minutes(1),
            minutes(9),
            Duration.ofHours(1),
            FoldThroughput.By.NONE,
            null,
            null)),
        ErrorCode.VALIDATION_FAILED);
    assertThat(list(null, null)).isEmpty();
  }

  private List<ThroughputBucket> fold(Duration step, FoldThroughput.By by) {
    FoldedThroughput folded = done(operator.foldThroughput(
        new FoldThroughput(ENVIRONMENT, NOON, minutes(180), step, by, null, null)));
    assertThat(folded.from()).isEqualTo(NOON);
    return folded.data();
  }

  private List<ThroughputBucket> fold(
      Instant from, Instant until, Duration step, @Nullable String queue, @Nullable String task) {
    return done(operator.foldThroughput(new FoldThroughput(
            ENVIRONMENT, from, until, step, FoldThroughput.By.NONE, queue, task)))
        .data();
  }

  /** What minutes come to, bucket by bucket. */
  private static List<ThroughputBucket> folded(
      Duration step, FoldThroughput.By by, List<ThroughputBucket> minutes) {
    Map<List<Object>, ThroughputBucket> steps = new HashMap<>();
    for (ThroughputBucket each : minutes) {
      ThroughputBucket moved = by.folded(each, FoldThroughput.beginOf(each.minute(), step));
      steps.merge(
          List.of(moved.minute(), moved.queue(), moved.taskId()), moved, ThroughputBucket::plus);
    }
    return steps.values().stream()
        .sorted(Comparator.comparing(ThroughputBucket::minute)
            .thenComparing(ThroughputBucket::queue)
            .thenComparing(ThroughputBucket::taskId))
        .toList();
  }

  private List<ThroughputBucket> all() {
    return pages(cursor -> operator.listThroughput(
            new ListThroughput(ENVIRONMENT, NOON, minutes(999), null, null, 100, cursor)))
        .stream()
        .flatMap(List::stream)
        .toList();
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
