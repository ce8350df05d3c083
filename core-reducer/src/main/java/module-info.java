/** Runs as values: events, the record, and the reducer that turns the one into the other. */
module dev.runlane.run {
  requires static transitive org.jspecify;

  exports dev.runlane.run;
}
