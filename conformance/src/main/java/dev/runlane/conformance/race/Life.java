package dev.runlane.conformance.race;

/** How far a run has come that is created for a race. */
enum Life {
  QUEUED,
  RUNNING,
  AWAITING_STEP,
  ENDED
}
