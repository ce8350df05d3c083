package dev.runlane.runtime;

/**
 * What one maintenance pass did, in the order of its phases.
 *
 * @param firesSettled fires of schedules whose occurrence was completed
 * @param runsCancelled runs cancelled because their owner did not answer before its lease ended
 * @param stepResultsTaken results of remote steps that were brought to their runs, or were nobody's any more
 * @param stepsProcessed pending remote steps that were due: workers were asked, or asked again, or deadlines had
 *     passed
 * @param deliveriesRequested due runs of unbounded queues that got a fresh delivery request
 * @param slotsReserved due runs of bounded queues that got a slot and a delivery request
 * @param wakeupsPublished outbox messages the transport took
 * @param wakeupsFailed outbox messages it did not take, to be tried again later
 * @param wakeupsDeadLettered outbox messages that were given up
 * @param moreWaiting whether a phase ended at its bound, so that another pass has something to do already
 */
public record TickResult(
    int firesSettled,
    int runsCancelled,
    int stepResultsTaken,
    int stepsProcessed,
    int deliveriesRequested,
    int slotsReserved,
    int wakeupsPublished,
    int wakeupsFailed,
    int wakeupsDeadLettered,
    boolean moreWaiting) {}
