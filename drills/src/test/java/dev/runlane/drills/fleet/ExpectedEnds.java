package dev.runlane.drills.fleet;

import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.simulation.history.RunHistory;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * What becomes of an item where no process fails: its status and attempts follow from its behaviour. Runs that
 * somebody cancelled are passed over, since they may have ended before.
 */
public final class ExpectedEnds {
  private ExpectedEnds() {}

  /** The runs that came to another end, each with what it came to. */
  public static List<String> missed(List<RunHistory> histories) {
    List<String> missed = new ArrayList<>();
    for (RunHistory history : histories) {
      RunRecord run = history.stored();
      End end = new End(run.status(), run.counters().attempts());
      Behaviour behaviour = behaviour(history);
      if (!isCancelled(history) && !end.equals(expected(behaviour))) {
        missed.add(run.id() + " was to " + behaviour + " but came to " + end);
      }
    }
    return missed;
  }

  private static boolean isCancelled(RunHistory history) {
    return history.events().stream()
        .anyMatch(row -> row.event() instanceof RunEvent.Cancelled
            || row.event() instanceof RunEvent.CancellationRequested);
  }

  private static End expected(Behaviour behaviour) {
    return switch (behaviour) {
      case SUCCEED, GIVE_UP_WHEN_ASKED, STAY_ONCE -> new End(RunStatus.SUCCEEDED, 1);
      case FAIL_ONCE, RELEASE_ONCE -> new End(RunStatus.SUCCEEDED, 2);
      case FAIL_ALWAYS -> new End(RunStatus.FAILED, 3);
      case FAIL_FOR_GOOD -> new End(RunStatus.FAILED, 1);
    };
  }

  private static Behaviour behaviour(RunHistory history) {
    RunEvent.Created created = (RunEvent.Created) history.events().get(0).event();
    return Behaviour.valueOf(new JsonObject(created.payload().text()).getString("behaviour"));
  }

  private record End(RunStatus status, int attempts) {}
}
