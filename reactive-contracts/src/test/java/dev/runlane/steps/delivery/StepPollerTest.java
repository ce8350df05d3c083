package dev.runlane.steps.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepSignals;
import dev.runlane.steps.delivery.StepPoller.PollResult;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class StepPollerTest {
  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-01-01T00:00:00Z")));
  private final List<Long> looks = new ArrayList<>(); // at which millisecond
  private final StepPoller poller = new StepPoller(
      timers,
      "polling under test",
      () -> {
        looks.add(timers.elapsed().toMillis());
        return Future.succeededFuture(PollResult.NOTHING);
      },
      new StepPauses(Duration.ofMillis(20), Duration.ofMillis(500), Duration.ofSeconds(5)));

  private void startedLongAgo(Optional<StepSignals> signals) {
    poller.start(signals, new Deaf());
    timers.advance(Duration.ofSeconds(30));
    looks.clear();
  }

  private List<Long> looksWithin(Duration span) {
    long from = timers.elapsed().toMillis();
    timers.advance(span);
    return looks.stream().map(at -> at - from).toList();
  }

  @Test
  void an_idle_polling_looks_after_the_longest_pause() {
    startedLongAgo(Optional.empty());

    assertThat(looksWithin(Duration.ofSeconds(10))).hasSize(20);
  }

  @Test
  void what_is_expected_is_looked_for_soon_and_then_less_and_less_often() {
    startedLongAgo(Optional.empty());

    poller.pollSoon();

    assertThat(looksWithin(Duration.ofMillis(1_500)))
        .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 320L, 640L, 1_140L);
  }

  @Test
  void expectations_that_follow_each_other_put_no_look_off_and_bring_none_closer_than_a_quarter() {
    startedLongAgo(Optional.empty());

    for (int i = 0; i < 50; i++) {
      poller.pollSoon();
      timers.advance(Duration.ofMillis(1));
    }

    assertThat(looks).hasSize(10);
  }

  @Test
  void while_signals_are_heard_an_expectation_costs_no_look() {
    startedLongAgo(Optional.of(listener -> Future.succeededFuture(Future::succeededFuture)));

    poller.pollSoon();

    assertThat(looksWithin(Duration.ofSeconds(10))).hasSize(2);
  }

  @Test
  void an_expectation_before_the_start_or_after_the_end_begins_nothing() {
    poller.pollSoon();
    timers.advance(Duration.ofSeconds(1));
    assertThat(looks).isEmpty();

    startedLongAgo(Optional.empty());
    poller.stop();
    poller.pollSoon();

    assertThat(looksWithin(Duration.ofSeconds(1))).isEmpty();
  }

  private static final class Deaf implements StepListener {
    @Override
    public void onTasks(Set<String> groups) {}

    @Override
    public void onResults() {}

    @Override
    public void onPossibleLoss() {}
  }
}
