package dev.runlane.runtime.steps;

import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.timing.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Steps whose recorded failure ended the attempt before, although other branches had gone on after it. The history
 * cannot tell a step that followed it in another branch from one that the failure brought about. The handler can: the
 * failure is held back while everything else is replayed.
 *
 * <pre>
 *   the handler asks for all that is recorded  ─► nothing came of the failure: the step is done anew
 *   it does not, and nothing is left to replay ─► something came of it: it is given the failure, as recorded
 *   it asks for something else                 ─► the run is released as non_deterministic, which ends the doubt
 * </pre>
 *
 * Touched on the home context only.
 */
final class DoubtfulSteps {
  private final RuntimeContext context;
  private final OrderedStepResults orderedResults;
  private final Consumer<StepCall<?>> again;
  private final List<StepCall<?>> held = new ArrayList<>();
  private Timers.@Nullable Timer timer;

  /**
   * @param orderedResults gives results to the handler
   * @param again begins a step whose result is forgotten
   */
  DoubtfulSteps(
      RuntimeContext context, OrderedStepResults orderedResults, Consumer<StepCall<?>> again) {
    this.context = context;
    this.orderedResults = orderedResults;
    this.again = again;
  }

  /** The handler has asked for a step in doubt. */
  void add(StepCall<?> call) {
    held.add(call);
  }

  /** Whether nothing is held back. */
  boolean isEmpty() {
    return held.isEmpty();
  }

  /** Decides, if it can be, after the handler had a turn or asked for something. */
  void decide(StepHistory history, int asked) {
    disarm();
    if (held.isEmpty()) {
      return;
    }
    if (asked > history.lastPosition()) {
      takeAll().forEach(call -> {
        history.forget(call.position);
        again.accept(call);
      });
    } else {
      timer = context.timers().schedule(context.options().getStepWait(), () -> {
        timer = null;
        if (orderedResults.isBusy()) {
          decide(history, asked);
        } else {
          give(history);
        }
      });
    }
  }

  /** Drops everything: the attempt is over. */
  void close() {
    disarm();
    held.clear();
  }

  private void give(StepHistory history) {
    List<Integer> positions = takeAll().stream().map(call -> call.position).toList();
    orderedResults.addFirst(history.kept(positions));
    orderedResults.deliverReady();
  }

  private List<StepCall<?>> takeAll() {
    List<StepCall<?>> taken = List.copyOf(held);
    held.clear();
    return taken;
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
