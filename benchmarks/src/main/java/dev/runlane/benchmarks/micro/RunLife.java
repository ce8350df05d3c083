package dev.runlane.benchmarks.micro;

import dev.runlane.benchmarks.subject.Payload;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunSource;
import java.time.Instant;
import java.util.List;

/** The events of a run that succeeds at once, in the three appends of its life. */
final class RunLife {
  static final Environment ENVIRONMENT = new Environment("default");
  static final String RUN_ID = "run_01jd9a0c3w8x6q5v7t2k4m9npr";

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456Z");
  private static final EventHeader HEADER = EventHeader.bySystem(ENVIRONMENT, RUN_ID, NOW);
  private static final Lease LEASE =
      new Lease("tok_01jd9a0c3w8x6q5v7t2k4m9npr", "worker-1", NOW.plusSeconds(30));

  static final RunEvent CREATED = new RunEvent.Created(
      HEADER,
      "noop",
      "load",
      Json.ofChecked("{\"number\":1,\"text\":\"" + Payload.FILLER + "\"}"),
      null,
      RunKeys.NONE,
      RunSource.TRIGGER);
  static final RunEvent LEASE_CLAIMED = new RunEvent.LeaseClaimed(HEADER, LEASE);
  static final List<List<RunEvent>> APPENDS = List.of(
      List.of(
          CREATED,
          new RunEvent.DeliveryRequested(
              HEADER, new DeliveryIntent(ENVIRONMENT, RUN_ID, "load", NOW, NOW, null, null))),
      List.of(LEASE_CLAIMED, new RunEvent.Started(HEADER, 1)),
      List.of(new RunEvent.Succeeded(HEADER, 1, null)));

  private RunLife() {}

  /** Projects append by append, as a run is lived. */
  static RunRecord project() {
    RunRecord run = null;
    for (List<RunEvent> events : APPENDS) {
      long expected = run == null ? 0 : run.eventSequence();
      run = RunReducer.projectRunEvents(run, expected, events);
    }
    if (run == null) {
      throw new IllegalStateException("a life has events");
    }
    return run;
  }
}
