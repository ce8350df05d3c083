package dev.runlane.storage.memory.command;

import dev.runlane.run.EventHeader;
import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Claims and starts many due runs. */
public final class BatchClaims {
  private final Scans scans;
  private final Commits commits;

  public BatchClaims(Scans scans, Commits commits) {
    this.scans = scans;
    this.commits = commits;
  }

  public ClaimedRuns claim(ClaimRuns command) {
    Instant leaseEnd = command.now().plus(command.leaseFor()).truncatedTo(ChronoUnit.MICROS);
    List<RunRecord> due = scans.claimable(command, leaseEnd, lookahead(command.limit()));
    List<ClaimedRuns.Claimed> claimed = new ArrayList<>();
    for (RunRecord run : due.subList(0, Math.min(command.limit(), due.size()))) {
      claimed.add(start(run, command));
    }
    return new ClaimedRuns(claimed, due.size() > claimed.size());
  }

  private ClaimedRuns.Claimed start(RunRecord before, ClaimRuns command) {
    Instant at = command.now().isBefore(before.updatedAt()) ? before.updatedAt() : command.now();
    EventHeader header = EventHeader.bySystem(before.environment(), before.id(), at);
    Lease lease =
        new Lease(command.leaseToken(), command.workerId(), command.now().plus(command.leaseFor()));
    List<RunEvent> events = List.of(
        new RunEvent.LeaseClaimed(header, lease),
        new RunEvent.Started(header, before.counters().attempts() + 1));
    RunRecord after = RunReducer.projectRunEvents(before, before.eventSequence(), events);
    return new ClaimedRuns.Claimed(before, after, commits.store(after, events).events());
  }

  /** One more than wanted tells whether there is more. */
  private static int lookahead(int limit) {
    return limit == Integer.MAX_VALUE ? limit : limit + 1;
  }
}
