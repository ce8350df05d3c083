package dev.runlane.runtime.operate;

import dev.runlane.run.RunRecord;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Why a run is where it is.
 *
 * @param run the run as it was read
 * @param reasons what holds it, the most telling first; never empty
 */
public record RunExplanation(RunRecord run, List<Reason> reasons) {
  /** Copies the reasons. */
  public RunExplanation {
    reasons = List.copyOf(reasons);
  }

  /** The reasons in plain words, a sentence each. */
  public String text() {
    return reasons.stream().map(Reason::text).collect(Collectors.joining(" "));
  }

  /**
   * One reason.
   *
   * @param code what kind
   * @param text a sentence for people
   * @param details the same as data: instants in ISO-8601, ids, numbers
   */
  public record Reason(Code code, String text, Map<String, String> details) {
    /** Copies the details. */
    public Reason {
      details = Map.copyOf(details);
    }
  }

  /** The kinds of reason. The string values never change. */
  public enum Code {
    /** It has ended. */
    ENDED("ended"),
    /** A worker of another process is to do a step, or does it. */
    AWAITING_STEP("awaiting_step"),
    /** It is due later. */
    NOT_DUE("not_due"),
    /** An attempt gave it back, and why; no attempt has begun since. */
    RELEASED("released"),
    /** Which attempt it is in, of how many. */
    ATTEMPT("attempt"),
    /** Why an attempt of it failed last, and when. */
    LAST_FAILURE("last_failure"),
    /** A worker has it. */
    LEASED("leased"),
    /** A worker has it, and the storage refuses what the attempt came to, or a step of it. */
    OUTCOME_REFUSED("outcome_refused"),
    /** A worker had it and was lost; it is taken over next. */
    LEASE_EXPIRED("lease_expired"),
    /** Its owner was asked to stop. */
    CANCELLING("cancelling"),
    /** Its bounded partition has no free slot. */
    PARTITION_FULL("partition_full"),
    /** An operator has paused its queue. */
    QUEUE_PAUSED("queue_paused"),
    /** The process of the worker that has it is gone: it has missed its signs of life, and its lease has not ended. */
    OWNER_GONE("owner_gone"),
    /** A slot is held for it until a worker comes. */
    RESERVED("reserved"),
    /** No process that has a handler of its task, and works on its queue, has been seen as far as storage knows. */
    NO_TASK("no_task"),
    /** No living process with its queue has been seen, or none of those that have it works on it. */
    NO_QUEUE("no_queue"),
    /** Its wakeup waits to be published. */
    WAKEUP_PENDING("wakeup_pending"),
    /** Publishing its wakeup failed and will be tried again. */
    WAKEUP_FAILED("wakeup_failed"),
    /** Its wakeup was handed to the transport. */
    WAKEUP_PUBLISHED("wakeup_published"),
    /** Publishing its wakeup was given up. */
    WAKEUP_DEAD_LETTERED("wakeup_dead_lettered"),
    /** Nothing holds it: a worker of its queue and task takes it, where one runs. */
    WAITING_FOR_WORKER("waiting_for_worker");

    private final String value;

    Code(String value) {
      this.value = value;
    }

    /** The string in JSON. */
    public String value() {
      return value;
    }
  }
}
