package dev.runlane.simulation.history;

import dev.runlane.run.RunEvent;
import dev.runlane.simulation.history.StoredState.Effect;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares what handlers did with what the histories say. */
final class EffectRules {
  private final List<Violation> found;

  EffectRules(List<Violation> found) {
    this.found = found;
  }

  void check(StoredState state) {
    Map<Effect, Integer> counts = new HashMap<>();
    state.effects().forEach(effect -> counts.merge(effect, 1, Integer::sum));
    Set<Effect> started = new HashSet<>();
    for (RunHistory history : state.histories()) {
      for (RunEventRecord row : history.events()) {
        if (row.event() instanceof RunEvent.Started event) {
          started.add(new Effect(history.runId(), event.attempt()));
        } else if (row.event() instanceof RunEvent.Succeeded event
            && !counts.containsKey(new Effect(history.runId(), event.attempt()))) {
          found.add(new Violation(
              Rule.EFFECT_OF_SUCCESS,
              history.runId(),
              "attempt " + event.attempt() + " left none"));
        }
      }
    }
    counts.forEach((effect, count) -> {
      if (count > 1 || !started.contains(effect)) {
        found.add(new Violation(
            Rule.ONE_EFFECT,
            effect.runId(),
            count + " calls for attempt " + effect.attempt()
                + (started.contains(effect) ? "" : ", which was never started")));
      }
    });
  }
}
