package dev.runlane.simulation.history;

/**
 * A promise that was broken.
 *
 * @param rule which one
 * @param subject the run, job, group or partition
 * @param found what was found instead
 */
public record Violation(Rule rule, String subject, String found) {
  /** The promises a checker holds a stored state to. */
  public enum Rule {
    /** Every run and every job has ended, a job once. */
    TERMINAL,
    /** The sequences of a history are 1, 2, 3 and so on. */
    SEQUENCE,
    /** Event ids are unique and grow along each history. */
    EVENT_IDS,
    /** The reducer makes the stored projection of the history. */
    REPLAY,
    /** Each event stands where the lifecycle lets it, and nobody owns a run before it is due or while another does. */
    LIFECYCLE,
    /** Each field of a stored run is what its events say. */
    FIELDS,
    /** An attempt starts once and has at most one outcome. */
    ONE_OUTCOME,
    /** What an attempt came to is stored by who holds its lease. */
    HOLDER,
    /** Nothing comes after the event that ended a run. */
    END,
    /** A run counts each of its attempts, failures, retries and releases once. */
    COUNTERS,
    /** No bounded partition is ever above its limit. */
    LIMIT,
    /** The jobs of a group are handed out in the order in which they were added. */
    ORDER,
    /** A job that is delayed is not handed out before it is due, unless an operator wants it. */
    EARLY,
    /** No window of a rate limit has more hand-outs than it may. */
    RATE,
    /** Every hand-out counts as one failure, one loss, one success or none of them. */
    ATTEMPTS,
    /** The capacity row counts the runs that occupy a slot. */
    CAPACITY_COUNTER,
    /**
     * Every delivery request has had one outbox message, published once, and no other was there; none is needed of a
     * run that was due when a storage that wakes by itself created it.
     */
    OUTBOX,
    /**
     * A message of the outbox is claimed while it is due, nobody else has it, and it was neither published nor given
     * up, and who claimed it last alone says what became of it.
     */
    OUTBOX_CLAIM,
    /** A scan lists those that are due longest, as many of each partition as it has slots for. */
    SCAN,
    /** The handler is called at most once for an attempt, and only for one that was started. */
    ONE_EFFECT,
    /** The effect of the attempt that succeeded is there. */
    EFFECT_OF_SUCCESS,
    /** An attempt comes to what its handler returned or threw, by the rules of its task. */
    OUTCOME,
    /** A handler is told to give up in time, and one that waits for its signal gives up then. */
    SIGNAL,
    /** A run is what its caller asked for, and whoever asks for an owned key is answered its owner. */
    REQUEST,
    /** Leases, slots and rows of losses and releases last as long as they are said to. */
    BOUND,
    /** A lease is renewed long before it ends, where nothing is wrong. */
    RENEWED,
    /** A wakeup is published soon after it was asked for, or is due, where nothing is wrong. */
    PUBLISHED,
    /** A worker that drains ends. */
    DRAIN,
    /** A handler is told of its run what is stored. */
    CONTEXT,
    /** At most one run of a singleton key is active. */
    SINGLETON,
    /** One run was created for each idempotency key that is owned. */
    IDEMPOTENCY,
    /** No attempt is lost with its worker, so that another must be made after its lease. */
    NO_LOST_ATTEMPT,
    /** The group has committed every record of the partition. */
    LAG,
    /** A wakeup is acknowledged once it was dealt with, and is never lost for good. */
    ACKNOWLEDGED,
    /** A member of the group has the partition, and each member has one. */
    OWNER,
    /** Nothing is moved to a dead-letter topic but what was meant to be. */
    DEAD_LETTERS,
    /** No two handlers are told that they hold one run at the same instant of true time. */
    ONE_HANDLER,
    /** No step's work is done again in an attempt that began after its result was recorded. */
    STEP_ONCE,
    /** A replay is given what is recorded, in that order, and what an attempt records it has done as the owner. */
    STEP_REPLAY,
    /** The result of a remote step is in the history of its run soon. */
    STEP_ANSWER,
    /** No attempt of a remote step is asked for again whose result stands, or has been taken. */
    STEP_ASKED_ONCE,
    /** One result is recorded for each request of a step, which is not asked for again before. */
    STEP_RESULT_ONCE,
    /** A run's output is what its recorded steps make it. */
    OUTPUT,
    /** One run for each fire of a schedule. */
    ONE_FIRE,
    /** Nothing is claimed, reserved or handed out of a paused queue, and no fire of a paused schedule makes a run. */
    PAUSED,
    /** What an operator did is in the log of actions, before it was done and with how it ended. */
    RECORDED,
    /** Runs have the tags they were created with, and are found by them. */
    TAGS,
    /** A webhook is told of each end, and of nothing that is not so. */
    WEBHOOK,
    /** A listener hears of each end once, and of nothing that is not so. */
    SUBSCRIPTION,
    /** The processes that say that they live are those that do. */
    PROCESSES,
    /** What a handler wrote stands with its run, once and in order, and goes with it. */
    LOG,
    /** What processes counted is what happened, where no count is lost with them. */
    THROUGHPUT,
    /** A fire that falls due while schedulers work makes a run. */
    MISSED_FIRE,
    /** A schedule makes runs of the fires that its definition and its policy say, and of no others. */
    FIRE,
    /** What is due begins with the next poll of a process that has a slot free. */
    PROMPT,
    /** A payload that a later deployment can read ends no run. */
    PAYLOAD,
    /** A run fails no more often than its policy says before it ends. */
    BUDGET,
    /** A run that was asked to cancel ends with its attempt, as cancelled or failed. */
    CANCELLATION,
    /** What an answer said stays true. */
    ANSWER,
    /** Nothing is removed that retention keeps. */
    PRUNED,
    /** A process that was told to end and has leaves no handler untold, no answer unstored, no lease and no claim. */
    STOP,
    /** A closed runtime leaves no timer and no call behind. */
    LEFTOVER,
    /** A close ends within its bound. */
    CLOSE,
    /** No call of the runtime fails as only a mistake makes it fail, and nothing throws past every catch. */
    MISTAKE
  }

  @Override
  public String toString() {
    return rule + " " + subject + ": " + found;
  }
}
