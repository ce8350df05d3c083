package dev.runlane.run;

import static dev.runlane.run.SampleEvents.at;
import static dev.runlane.run.SampleEvents.created;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** Random legal histories: each next event is one that the transition table permits. */
final class Histories {
  private static final TransitionTable TABLE = TransitionTable.read();
  private static final int MOST_EVENTS = 60;

  /** One random decision: how much later the next event occurs, and which of the possible it is. */
  private record Step(int seconds, int choice, boolean mayEnd) {}

  private Histories() {}

  /** Histories of 1 to 60 events, most of which do not end early. */
  static Arbitrary<List<RunEvent>> legal() {
    Arbitrary<Step> step = Combinators.combine(
            Arbitraries.integers().between(0, 40),
            Arbitraries.integers().between(0, 1_000),
            Arbitraries.frequency(Tuple.of(100, false), Tuple.of(1, true)))
        .as(Step::new);
    return step.list()
        .ofMaxSize(MOST_EVENTS - 1)
        .withSizeDistribution(RandomDistribution.uniform())
        .map(Histories::history);
  }

  private static List<RunEvent> history(List<Step> steps) {
    List<RunEvent> events = new ArrayList<>();
    events.add(created(0));
    RunRecord run = SampleEvents.project(created(0));
    Instant now = at(0);
    for (Step step : steps) {
      now = now.plusSeconds(step.seconds());
      List<EventKind> possible = possible(run, now, step.mayEnd());
      if (!possible.isEmpty()) {
        RunEvent event = possible.get(step.choice() % possible.size()).fitting(run, now);
        run = SampleEvents.append(run, event);
        events.add(event);
      }
    }
    return List.copyOf(events);
  }

  private static List<EventKind> possible(RunRecord run, Instant now, boolean mayEnd) {
    Situation situation = Situation.of(run, now);
    return TABLE.possible(situation).stream()
        .filter(kind -> mayEnd || !endsTheRun(TABLE.next(situation, kind)))
        .toList();
  }

  private static boolean endsTheRun(String status) {
    return RunStatus.ofValue(status).orElseThrow().isTerminal();
  }
}
