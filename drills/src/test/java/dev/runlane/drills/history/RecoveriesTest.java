package dev.runlane.drills.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.history.Recoveries.Fault;
import dev.runlane.drills.history.Recoveries.Finish;
import dev.runlane.drills.history.Recoveries.Recovery;
import dev.runlane.run.RunKeys;
import dev.runlane.simulation.history.Forgery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RecoveriesTest {
  private final Forgery forged = new Forgery();
  private final List<Finish> finishes = new ArrayList<>();
  private int runs;

  @Test
  void the_first_and_the_last_attempt_of_the_part_that_was_hit_are_found() {
    String held = begin();
    String other = begin();
    Instant fault = now();
    forged.succeeded(other, 1);
    forged.after(Duration.ofSeconds(60)).started(held, 2).released(held, 2);
    forged.started(held, 3).succeeded(held, 3);

    Recovery recovery = recoveries()
        .from(new Fault(
            "killed", fault, fault.plusSeconds(90), finish -> finish.runId().equals(held)));

    assertThat(recovery.first()).contains(Duration.ofSeconds(64));
    assertThat(recovery.last()).contains(Duration.ofSeconds(67));
  }

  @Test
  void an_attempt_that_ended_before_the_fault_is_no_recovery() {
    forged.succeeded(begin(), 1);

    Recovery recovery =
        recoveries().from(new Fault("killed", now(), now().plusSeconds(90), finish -> true));

    assertThat(recovery.first()).isEmpty();
    assertThat(recovery.last()).isEmpty();
    assertThat(recovery.steady()).isEmpty();
  }

  @Test
  void attempts_of_others_are_no_recovery() {
    String other = begin();
    Instant fault = now();
    forged.succeeded(other, 1);

    Recovery recovery = recoveries()
        .from(new Fault(
            "killed", fault, fault.plusSeconds(90), finish -> finish.worker().equals("gone")));

    assertThat(recovery.first()).isEmpty();
  }

  @Test
  void the_pace_is_back_when_half_as_many_attempts_end_as_before() {
    finish(0, 10_000, 10);
    finish(12_000, 14_000, 30); // less than half
    finish(14_000, 30_000, 15);

    assertThat(paceAfter(10_000, 30_000).orElseThrow())
        .isBetween(Duration.ofMillis(3_000), Duration.ofMillis(4_000));
  }

  @Test
  void a_pace_that_breaks_a_while_after_the_fault_is_back_after_that() {
    finish(0, 12_000, 10); // what was fetched before is still worked on
    finish(17_000, 30_000, 10);

    assertThat(paceAfter(10_000, 30_000).orElseThrow())
        .isBetween(Duration.ofMillis(6_000), Duration.ofMillis(7_000));
  }

  @Test
  void a_pace_that_never_broke_is_back_at_once() {
    finish(0, 20_000, 10);

    assertThat(paceAfter(10_000, 20_000).orElseThrow()).isZero();
  }

  @Test
  void a_pace_that_is_low_until_the_next_fault_is_not_back() {
    finish(0, 10_000, 10);
    finish(10_000, 20_000, 100);
    finish(20_000, 30_000, 10);

    assertThat(paceAfter(10_000, 20_000)).isEmpty();
  }

  @Test
  void the_pace_is_not_back_while_nothing_ends_though_nothing_ended_before() {
    finish(15_000, 30_000, 100);

    assertThat(paceAfter(10_000, 30_000).orElseThrow())
        .isBetween(Duration.ofMillis(4_000), Duration.ofMillis(5_000));
  }

  @Test
  void the_clock_of_a_worker_that_is_ahead_is_put_right() {
    String run = begin();
    Instant fault = now();
    forged.after(Duration.ofSeconds(9)).succeeded(run, 1);

    Recovery recovery = Recoveries.in(
            forged.state().histories(), Map.of("worker", Duration.ofSeconds(2)))
        .from(new Fault("killed", fault, fault.plusSeconds(90), finish -> true));

    assertThat(recovery.first()).contains(Duration.ofSeconds(8));
  }

  private void finish(int fromMillis, int toMillis, int stepMillis) {
    for (int millis = fromMillis; millis < toMillis; millis += stepMillis) {
      finishes.add(new Finish(Instant.ofEpochMilli(millis), "run-" + millis, "worker"));
    }
  }

  private Optional<Duration> paceAfter(int faultMillis, int untilMillis) {
    Fault fault = new Fault(
        "killed",
        Instant.ofEpochMilli(faultMillis),
        Instant.ofEpochMilli(untilMillis),
        finish -> true);
    return Recoveries.of(finishes).from(fault).steady();
  }

  private String begin() {
    String run = "run-" + runs++;
    forged.created(run, "free", RunKeys.NONE).requested(run).started(run, 1);
    return run;
  }

  private Instant now() {
    return forged.now();
  }

  private Recoveries recoveries() {
    return Recoveries.in(forged.state().histories(), Map.of());
  }
}
