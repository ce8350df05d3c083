/** Injected time, timers, ids and back-off, and fire times of schedules. */
@SuppressWarnings("requires-automatic") // cron-utils has a name, but no descriptor
module dev.runlane.timing {
  requires transitive dev.runlane.run;
  requires com.cronutils;
  requires transitive io.vertx.core;
  requires static transitive org.jspecify;
  requires transitive org.slf4j;

  exports dev.runlane.timing;
  exports dev.runlane.timing.fire;
}
