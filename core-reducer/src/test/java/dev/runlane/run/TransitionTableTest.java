package dev.runlane.run;

import static dev.runlane.run.SampleEvents.append;
import static dev.runlane.run.SampleEvents.at;
import static dev.runlane.run.SampleEvents.cancellationRequested;
import static dev.runlane.run.SampleEvents.cancelled;
import static dev.runlane.run.SampleEvents.claimed;
import static dev.runlane.run.SampleEvents.created;
import static dev.runlane.run.SampleEvents.createdFor;
import static dev.runlane.run.SampleEvents.deliveryRequested;
import static dev.runlane.run.SampleEvents.failed;
import static dev.runlane.run.SampleEvents.project;
import static dev.runlane.run.SampleEvents.released;
import static dev.runlane.run.SampleEvents.retryScheduled;
import static dev.runlane.run.SampleEvents.started;
import static dev.runlane.run.SampleEvents.succeeded;
import static dev.runlane.run.TransitionTable.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TransitionTableTest {
  private static final TransitionTable TABLE = TransitionTable.read();
  private static final Instant NOW = at(60);

  /** One run for each situation, as it is at {@link #NOW}. */
  private static final List<RunRecord> RUNS = List.of(
      project(created(0)),
      project(createdFor(0, 61)),
      project(created(0), deliveryRequested(0, 60)),
      project(created(0), deliveryRequested(0, 61)),
      project(created(0), claimed(0), started(0, 1), released(9, 1, 10), deliveryRequested(10, 10)),
      project(created(0), claimed(0), started(0, 1), released(9, 1, 10), deliveryRequested(10, 60)),
      project(created(0), claimed(0), started(0, 1), released(9, 1, 10), deliveryRequested(10, 61)),
      project(created(0), claimed(50)),
      project(created(0), claimed(50), started(50, 1)),
      project(created(0), claimed(30)),
      project(created(0), claimed(30), started(30, 1)),
      project(created(0), claimed(0), started(0, 1), retryScheduled(9, 1, 60)),
      project(created(0), claimed(0), started(0, 1), retryScheduled(9, 1, 61)),
      project(created(0), claimed(0), started(0, 1), released(9, 1, 60)),
      project(created(0), claimed(0), started(0, 1), released(9, 1, 61)),
      project(created(0), claimed(50), cancellationRequested(51)),
      project(created(0), claimed(50), started(50, 1), cancellationRequested(51)),
      project(created(0), claimed(30), cancellationRequested(31)),
      project(created(0), claimed(30), started(30, 1), cancellationRequested(31)),
      project(created(0), claimed(0), started(0, 1), succeeded(9, 1)),
      project(created(0), claimed(0), started(0, 1), failed(9, 1)),
      project(created(0), cancelled(9)));

  @Test
  void the_table_names_every_status_and_every_type_of_event() {
    assertThat(TABLE.statuses())
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(Stream.of("none"), TransitionTable.allStatuses().stream())
                .toList());
    assertThat(TABLE.kinds())
        .extracting(EventKind::type)
        .containsOnlyOnceElementsOf(Arrays.stream(RunEventType.values())
            .filter(type -> type != RunEventType.DELIVERY_REQUESTED)
            .toList())
        .contains(RunEventType.DELIVERY_REQUESTED);
  }

  @Test
  void there_is_a_run_for_every_situation_of_the_table() {
    assertThat(Stream.concat(Stream.of((RunRecord) null), RUNS.stream())
            .map(run -> Situation.of(run, NOW)))
        .containsExactlyInAnyOrderElementsOf(TABLE.situations());
  }

  static Stream<Arguments> pairs() {
    return Stream.concat(Stream.of((RunRecord) null), RUNS.stream())
        .flatMap(run -> TABLE.kinds().stream().map(kind -> {
          Situation situation = Situation.of(run, NOW);
          return Arguments.of(run, situation, kind, TABLE.next(situation, kind));
        }));
  }

  @ParameterizedTest(name = "{1} x {2} = {3}")
  @MethodSource("pairs")
  void every_pair_has_the_outcome_of_the_table(
      RunRecord run, Situation situation, EventKind kind, String next) {
    RunEvent event = kind.fitting(run, NOW);

    if (next.equals(REJECTED)) {
      assertThatThrownBy(() -> apply(run, event))
          .isInstanceOfSatisfying(RunlaneException.class, failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.INVARIANT_VIOLATION);
            assertThat(failure.isRetryable()).isFalse();
            assertThat(failure)
                .hasMessageStartingWith("run run_1: ")
                .hasMessageContaining(kind.type().value())
                .hasMessageContaining(", but ");
          });
    } else {
      assertThat(apply(run, event).status().value()).isEqualTo(next);
    }
  }

  private static RunRecord apply(RunRecord run, RunEvent event) {
    return run == null ? project(event) : append(run, event);
  }
}
