package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.runtime.operate.Operator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Actions as they are answered. Targets and results of some have what runs and jobs have too: a key, the name of a
 * saved filter, whose query may ask for a key, the name of jobs. They are hidden from who may not see that.
 */
public final class MaskedActions {
  private static final Set<String> OF_FILTERS = Set.of("saved_filter.put", "saved_filter.remove");
  private static final Set<String> OF_JOBS = Set.of("job_queue.pause", "job_queue.resume");
  private static final String JOBS_NAMED = "jobs named ";
  private static final List<String> WITH_TARGETS = Stream.of(
          Stream.of(Operator.RESET_KEY), OF_FILTERS.stream(), OF_JOBS.stream())
      .flatMap(actions -> actions)
      .toList();

  private final Masks masks;

  MaskedActions(Masks masks) {
    this.masks = masks;
  }

  /** What came of an action on the jobs of a name, where it is recorded. */
  public static String resultOfJobs(String name) {
    return JOBS_NAMED + name;
  }

  ObjectNode body(OperatorAction action, Caller caller) {
    ObjectNode told = OperatorBodies.action(action);
    String target = action.target();
    if (target != null && hidesTarget(action.action(), target, caller)) {
      told.put("target", Masks.MASKED);
    }
    if (OF_JOBS.contains(action.action())
        && told.path("result").asText().startsWith(JOBS_NAMED)
        && hides("name", caller)) {
      told.put("result", Masks.MASKED);
    }
    return masks.apply(told, caller);
  }

  /** Refuses with 403 a filter by what the caller may not see. */
  void requireVisible(ActionFilter filter, Caller caller) {
    ObjectNode meant = JsonNodeFactory.instance.objectNode();
    String name = filter.action();
    String target = filter.target();
    if (filter.actor() != null) {
      meant.putObject("actor").put("id", filter.actor());
    }
    if (name != null) {
      meant.put("action", name);
    }
    if (target != null) {
      meant.put("target", target);
      List<String> actions = name == null ? WITH_TARGETS : List.of(name);
      if (actions.stream().anyMatch(each -> hidesTarget(each, target, caller))) {
        Masks.refuseFilter("target");
      }
    }
    masks.requireVisible(meant, caller);
  }

  private boolean hidesTarget(String action, String target, Caller caller) {
    if (OF_FILTERS.contains(action)) {
      return FilterRoutes.mayBeHidden(masks, caller);
    }
    return action.equals(Operator.RESET_KEY)
        ? hides("idempotencyKey", caller)
        : OF_JOBS.contains(action) && target.contains("/") && hides("name", caller);
  }

  private boolean hides(String field, Caller caller) {
    return masks.hidesAnyOf(JsonNodeFactory.instance.objectNode().put(field, "any"), caller);
  }
}
