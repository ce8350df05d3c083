/** Tests of tasks and jobs in virtual time. */
module dev.runlane.testing {
  requires transitive dev.runlane.runtime;
  requires transitive dev.runlane.jobqueue;
  requires dev.runlane.storage.memory;
  requires transitive org.assertj.core;
  requires static transitive org.junit.jupiter.api;
  requires static transitive org.jspecify;

  exports dev.runlane.testing;
  exports dev.runlane.testing.history;
}
