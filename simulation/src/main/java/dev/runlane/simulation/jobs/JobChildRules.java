package dev.runlane.simulation.jobs;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.run.Json;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** The handler of a parent is told what each of its children returned that has completed and is there, and no more. */
final class JobChildRules {
  private final StoredJobs stored;
  private final Consumer<Violation> found;

  JobChildRules(StoredJobs stored, Consumer<Violation> found) {
    this.stored = stored;
    this.found = found;
  }

  /** Asks for the children of a job that is being worked on, if it has some. */
  void ask(Job parent) {
    JobData job = parent.read();
    if (job.childrenIds().isEmpty()) {
      return;
    }
    Map<String, JobData> before = children(job);
    parent.getChildrenValues().onSuccess(values -> check(job, before, values));
  }

  /** Of a child that changes meanwhile either may be told. */
  private void check(JobData parent, Map<String, JobData> before, Map<String, Json> values) {
    children(parent).forEach((id, child) -> {
      if (child.equals(before.get(id))) {
        Json expected = child.state() == JobState.COMPLETED ? child.returnvalue() : null;
        if (!Objects.equals(expected, values.get(id))) {
          broken(parent, id + " is told as " + values.get(id) + " and is " + child);
        }
      }
    });
    values.keySet().stream()
        .filter(id -> !parent.childrenIds().contains(id))
        .forEach(id -> broken(parent, id + " is told and is none of its children"));
  }

  private Map<String, JobData> children(JobData parent) {
    Map<String, JobData> children = new HashMap<>();
    stored.all().stream()
        .filter(parent::isParentOf)
        .forEach(child -> children.put(child.id(), child));
    return children;
  }

  private void broken(JobData parent, String what) {
    found.accept(new Violation(Rule.CONTEXT, StoredJobs.key(parent), "its child " + what));
  }
}
