package dev.runlane.run;

import static dev.runlane.run.SampleEvents.append;
import static dev.runlane.run.TransitionTable.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsCoverage;
import net.jqwik.api.statistics.StatisticsReport;

class ReducerPropertyTest {
  private static final TransitionTable TABLE = TransitionTable.read();

  /** What a refusal says: about which run and event, what was wanted, and what was found. */
  private static final String NAMES_WANTED_AND_FOUND =
      "run run_\\d: (run\\.\\w+ (must|needs|is valid only)|the first event must) .+, but .+";

  @Provide
  Arbitrary<List<RunEvent>> histories() {
    return Histories.legal();
  }

  @Property(tries = 1_000)
  @StatisticsReport(label = "events", value = StatisticsReport.StatisticsReportMode.OFF)
  void a_replay_from_nothing_equals_the_incremental_projection_however_commands_are_cut(
      @ForAll("histories") List<RunEvent> history,
      @ForAll @Size(60) List<@IntRange(min = 1, max = 5) Integer> commandSizes) {
    RunRecord replayed = replay(history);

    RunRecord incremental = null;
    int from = 0;
    for (int command = 0; from < history.size(); command++) {
      int to = Math.min(history.size(), from + commandSizes.get(command));
      incremental = RunReducer.projectRunEvents(incremental, from, history.subList(from, to));
      from = to;
    }

    assertThat(incremental).isEqualTo(replayed);
    assertThat(replayed.eventSequence()).isEqualTo(history.size());
    Statistics.label("events").collect(history.size() > 30 ? "more than 30" : "up to 30");
    Statistics.label("events").coverage(ReducerPropertyTest::bothLengths);
  }

  @Property
  void in_every_state_of_a_history_exactly_the_events_of_the_table_are_possible(
      @ForAll("histories") List<RunEvent> history, @ForAll @IntRange(max = 40) int seconds) {
    for (RunRecord run : statesOf(history)) {
      Instant now = run.updatedAt().plusSeconds(seconds);
      Situation situation = Situation.of(run, now);
      for (EventKind kind : TABLE.kinds()) {
        String next = TABLE.next(situation, kind);
        RunEvent event = kind.fitting(run, now);
        if (next.equals(REJECTED)) {
          assertRefused(run, event);
        } else {
          assertThat(append(run, event).status().value()).isEqualTo(next);
        }
      }
    }
  }

  @Property
  void a_possible_event_is_refused_once_it_names_another_run_attempt_owner_or_queue(
      @ForAll("histories") List<RunEvent> history, @ForAll("strangers") StrangeEvents stranger) {
    RunRecord run = null;
    for (RunEvent event : history) {
      if (run != null) {
        for (RunEvent strange : event.accept(stranger)) {
          assertRefused(run, strange);
        }
      }
      run = RunReducer.projectRunEvents(run, run == null ? 0 : run.eventSequence(), List.of(event));
    }
  }

  @Provide
  Arbitrary<StrangeEvents> strangers() {
    return Arbitraries.of(1, 2, 7, -1, -100, 1_000_000).map(StrangeEvents::new);
  }

  @Property
  void the_same_input_gives_the_same_result_twice_and_stays_as_it_was(
      @ForAll("histories") List<RunEvent> history) {
    List<RunRecord> states = statesOf(history);
    RunRecord current = states.get(states.size() / 2);
    RunRecord currentBefore = current.toBuilder().build();
    List<RunEvent> rest = new ArrayList<>(history.subList(states.size() / 2 + 1, history.size()));
    List<RunEvent> restBefore = List.copyOf(rest);
    if (!rest.isEmpty()) {
      RunRecord first = RunReducer.projectRunEvents(current, current.eventSequence(), rest);
      RunRecord second = RunReducer.projectRunEvents(current, current.eventSequence(), rest);

      assertThat(second).isEqualTo(first);
    }
    assertThat(current).isEqualTo(currentBefore);
    assertThat(rest).isEqualTo(restBefore);
  }

  /** What the reducer did before there were steps: a history without them is not to notice. */
  @Property
  void without_its_steps_a_history_makes_the_same_run_but_for_sequence_and_times(
      @ForAll("histories") List<RunEvent> history) {
    List<RunEvent> plain = history.stream().filter(event -> !isStep(event)).toList();
    if (history.stream().noneMatch(ReducerPropertyTest::awaitsSteps)) {
      RunRecord with = replay(history);
      RunRecord without = replay(plain);

      assertThat(with)
          .isEqualTo(without.toBuilder()
              .eventSequence(with.eventSequence())
              .updatedAt(with.updatedAt())
              .build());
    }
  }

  private static boolean isStep(RunEvent event) {
    return event.type() == RunEventType.STEP_REQUESTED
        || event.type() == RunEventType.STEP_COMPLETED;
  }

  private static boolean awaitsSteps(RunEvent event) {
    return event instanceof RunEvent.Released released && released.awaiting() != null;
  }

  @Property
  void lease_due_time_end_and_counters_always_fit_the_status(
      @ForAll("histories") List<RunEvent> history) {
    for (RunRecord run : statesOf(history)) {
      RunStatus status = run.status();
      assertThat(run.lease() != null).isEqualTo(status.isLeased());
      assertThat(run.finishedAt() != null).isEqualTo(status.isTerminal());
      assertThat(run.startedAt() != null).isEqualTo(run.counters().attempts() > 0);
      assertThat(run.awaiting() == null || status == RunStatus.RELEASED).isTrue();
      assertThat(RunDueTimes.runnableAvailableAt(run).isPresent())
          .isEqualTo(status.isRunnableCandidate());
      assertThat(RunDueTimes.deliveryRecoveryAvailableAt(run).isPresent())
          .isEqualTo(status.isDeliveryRecoveryCandidate());
      assertThat(RunDueTimes.cancellationFinalizationAvailableAt(run).isPresent())
          .isEqualTo(status.isCancellationFinalizationCandidate());
      assertThat(run.counters().failures())
          .isEqualTo(run.counters().retries() + (status == RunStatus.FAILED ? 1 : 0));
    }
  }

  private static RunRecord replay(List<RunEvent> history) {
    return RunReducer.projectRunEvents(null, ContractDefaults.NEW_EVENT_SEQUENCE, history);
  }

  /** The record after each event. */
  private static List<RunRecord> statesOf(List<RunEvent> history) {
    List<RunRecord> states = new ArrayList<>();
    RunRecord run = null;
    for (RunEvent event : history) {
      run = RunReducer.projectRunEvents(run, states.size(), List.of(event));
      states.add(run);
    }
    return states;
  }

  private static void assertRefused(RunRecord run, RunEvent event) {
    RunlaneException failure =
        catchThrowableOfType(RunlaneException.class, () -> append(run, event));
    assertThat(failure).as("%s after %s", event, run).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.INVARIANT_VIOLATION);
    assertThat(failure.getMessage()).matches(NAMES_WANTED_AND_FOUND);
  }

  private static void bothLengths(StatisticsCoverage coverage) {
    coverage.check("more than 30").percentage(share -> share > 10);
    coverage.check("up to 30").percentage(share -> share > 10);
  }
}
