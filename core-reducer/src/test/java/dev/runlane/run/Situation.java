package dev.runlane.run;

import java.time.Instant;

/** One row of the transition table: a status, and the condition that some events depend on. */
record Situation(String status, String condition) {

  /** The situation of a run at an instant; null is the run that does not exist yet. */
  static Situation of(RunRecord run, Instant now) {
    if (run == null) {
      return new Situation("none", "-");
    }
    return new Situation(
        run.status().value(),
        switch (run.status()) {
          case QUEUED ->
            started(run, dueAt(run.runAt() == null ? run.updatedAt() : run.runAt(), now));
          case SCHEDULED -> started(run, dueAt(run.runAt(), now));
          case RETRYING, RELEASED -> dueAt(run.runAt(), now);
          case RUNNING, CANCELLATION_REQUESTED -> started(run, leased(run, now));
          case SUCCEEDED, FAILED, CANCELLED -> "-";
        });
  }

  private static String dueAt(Instant due, Instant now) {
    return now.isBefore(due) ? "not due" : "due";
  }

  private static String leased(RunRecord run, Instant now) {
    return now.isBefore(run.lease().expiresAt()) ? "leased" : "lease expired";
  }

  /** Runs that wait after an attempt have always started one. */
  private static String started(RunRecord run, String condition) {
    return run.counters().attempts() == 0 ? condition : condition + " and started";
  }

  @Override
  public String toString() {
    return condition.equals("-") ? status : status + " (" + condition + ")";
  }
}
