package dev.runlane.jobs.store;

/** Whether active jobs keep a queue from being deleted. */
public enum Obliterate {
  /** They do. */
  IF_IDLE,
  /** They go too; their workers have lost them. */
  FORCED
}
