package dev.runlane.conformance.race;

/** What contenders mostly want at the same time. */
enum MeetingPoint {
  /** The same run, or whatever else they name. */
  ANYTHING,
  /** A key, for runs that differ. */
  KEY,
  /** A slot of a queue with a limit, for runs that differ. */
  SLOT
}
