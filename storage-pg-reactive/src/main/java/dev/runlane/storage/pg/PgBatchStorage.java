package dev.runlane.storage.pg;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.postgres.BatchLimits;
import dev.runlane.postgres.PgFailures;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Lease;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.Capabilities;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.CommandConsistency;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.pg.row.EventRow;
import dev.runlane.storage.pg.write.Creations;
import dev.runlane.storage.pg.write.FirstLeases;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Many commands at once. Appends go through the same gatherers as single ones; a command waits for the
 * earlier ones that share its run or an ownership key with it.
 */
final class PgBatchStorage implements BatchStorage {
  private static final int MOST_TRIES = 5;

  private final PgStorageAdapter adapter;
  private final PgParts parts;
  private final Set<StorageCapability> capabilities;
  private final BatchLimits bounds;

  PgBatchStorage(PgStorageAdapter adapter, PgParts parts, Set<StorageCapability> capabilities) {
    this.adapter = adapter;
    this.parts = parts;
    this.capabilities = capabilities;
    this.bounds = parts.bounds();
  }

  @Override
  public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
    return AdapterCall.of("appendAll", () -> {
      commands.forEach(CommandChecks::check);
      List<List<AppendRunEvents>> divided =
          bounds.parts(commands, command -> EventRow.bytes(command.events()));
      boolean arePlain = arePlainCreations(commands);
      return divided.size() == 1 ? appendPart(commands, arePlain) : appendParts(divided, arePlain);
    });
  }

  /**
   * One part after the other: together they may hold more than may wait, of which then the first were stored and the
   * last refused, however often the call was made again. After one that met an outage none is sent: each would wait for
   * its own deadline. Nothing is stored of those.
   */
  private Future<List<CommandOutcome<AppendedRun>>> appendParts(
      List<List<AppendRunEvents>> divided, boolean arePlain) {
    List<CommandOutcome<AppendedRun>> outcomes = new ArrayList<>();
    Iterator<List<AppendRunEvents>> parts = divided.iterator();
    return FutureLoop.whileTrue(() -> appendPart(parts.next(), arePlain).map(appended -> {
          outcomes.addAll(appended);
          appended.stream()
              .filter(PgBatchStorage::isOutage)
              .findFirst()
              .ifPresent(outage -> parts.forEachRemaining(
                  unsent -> outcomes.addAll(Collections.nCopies(unsent.size(), outage))));
          return parts.hasNext();
        }))
        .map(all -> outcomes);
  }

  private static boolean isOutage(CommandOutcome<AppendedRun> outcome) {
    return outcome instanceof CommandOutcome.Failed<AppendedRun> failed
        && failed.failure().code() == ErrorCode.STORAGE_UNAVAILABLE;
  }

  private Future<List<CommandOutcome<AppendedRun>>> appendPart(
      List<AppendRunEvents> commands, boolean arePlain) {
    if (arePlain) {
      return adapter
          .createAll(commands)
          .otherwise(failure -> Collections.nCopies(
              commands.size(), new CommandOutcome.Failed<>(PgFailures.of("appendAll", failure))));
    }
    List<Future<CommandOutcome<AppendedRun>>> appended = new ArrayList<>(commands.size());
    Map<String, Future<?>> before = new HashMap<>();
    for (AppendRunEvents command : commands) {
      List<String> keys = Creations.keysOf(command);
      List<Future<?>> earlier =
          keys.stream().map(before::get).filter(Objects::nonNull).distinct().toList();
      Future<CommandOutcome<AppendedRun>> outcome = earlier.isEmpty()
          ? outcome(adapter.appendRunEvents(command))
          : Future.join(earlier).compose(ended -> outcome(adapter.appendRunEvents(command)));
      keys.forEach(key -> before.put(key, outcome));
      appended.add(outcome);
    }
    return Future.join(appended)
        .map(joined -> appended.stream().map(Future::result).toList());
  }

  /** Of none of these must the outcome wait for another's, and none is refused before it is sent. */
  private boolean arePlainCreations(List<AppendRunEvents> commands) {
    if (!capabilities.containsAll(PgStorageAdapter.ALL)) {
      return false;
    }
    Set<String> runIds = new HashSet<>();
    for (AppendRunEvents command : commands) {
      boolean plain = command.expectedSequence() == 0
          && command.environment().equals(commands.get(0).environment())
          && CommandConsistency.violation(command).isEmpty()
          && !FirstLeases.isNeededFor(command)
          && !Creations.isKeyed(command)
          && runIds.add(command.runId());
      if (!plain) {
        return false;
      }
    }
    return !commands.isEmpty();
  }

  private static Future<CommandOutcome<AppendedRun>> outcome(Future<AppendedRun> appended) {
    return appended.transform((run, failure) -> Future.succeededFuture(
        failure == null
            ? new CommandOutcome.Succeeded<>(run)
            : new CommandOutcome.Failed<AppendedRun>(PgFailures.of("appendAll", failure))));
  }

  @Override
  public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
    return AdapterCall.of("claimRuns", () -> {
      Capabilities.require(capabilities, StorageCapability.LEASES_RUNS, "claimRuns");
      Capabilities.requireForQueues(capabilities, command.queues(), "claimRuns with a limit");
      CommandChecks.check(command);
      parts.leaseRequested(
          command.now(),
          new Lease(
              command.leaseToken(), command.workerId(), command.now().plus(command.leaseFor())));
      return claim(command, 1);
    });
  }

  private Future<ClaimedRuns> claim(ClaimRuns command, int tries) {
    return parts
        .in(
            command.environment(),
            scope -> parts.statements(parts.session(), scope).claims().claim(command))
        .recover(failure -> {
          if (PgFailures.mayBeSentAgain(failure) && tries < MOST_TRIES) {
            return claim(command, tries + 1);
          }
          RunlaneException ours = PgFailures.of("claimRuns", failure);
          return Future.failedFuture(ours);
        });
  }
}
