package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ResetIdempotencyKey;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Storages that get the ownership of keys wrong. */
final class BrokenOwners {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "overwrites the owner of an idempotency key",
          Overwriting::new,
          "Idempotency.a_second_run_with_a_live_key_is_refused_with_its_owner_and_stores_nothing",
          "Idempotency.of_competing_creators_one_wins_and_the_others_learn_who",
          "Idempotency.an_active_owner_never_expires"),
      that(
          "retains idempotency keys for ever",
          NoTtl::new,
          "Idempotency.succeeded_and_cancelled_owners_are_retained_until_the_ttl_after_their_creation",
          "Idempotency.a_lookup_changes_nothing_not_even_an_owner_whose_time_is_over"),
      that(
          "retains the key of a failed run",
          real -> new Remembering(real, run -> run.status() == RunStatus.FAILED),
          "Idempotency.a_failed_owner_is_released_at_once"),
      that(
          "retains a key that is owned only while its run is active",
          real -> new Remembering(
              real,
              run -> run.status().isTerminal()
                  && IdempotencyTtl.ACTIVE.equals(run.keys().idempotencyTtl())),
          "Idempotency.an_owner_with_the_policy_active_is_released_at_any_terminal_status"),
      that(
          "deletes an expired owner when it is looked up",
          DeletingLookup::new,
          "Idempotency.a_lookup_changes_nothing_not_even_an_owner_whose_time_is_over"),
      that(
          "lets an expired owner block its key",
          EternalBlock::new,
          "Idempotency.an_expired_owner_gives_way_to_a_new_one_and_stays_as_a_run"),
      that(
          "keeps a singleton key after the end",
          EternalSingleton::new,
          "Singleton.every_terminal_status_frees_the_key_at_once"),
      that(
          "does not enforce singleton keys",
          real -> new Keyless(real, keys -> keys.withSingletonKey(null)),
          "Singleton.every_active_run_keeps_others_with_its_key_out",
          "Singleton.of_competing_creators_one_wins_and_the_others_learn_who"),
      that(
          "resets an active owner",
          ResettingActive::new,
          "IdempotencyReset.a_reset_is_refused_while_the_owner_is_active"),
      that(
          "does not reset keys",
          NoReset::new,
          "IdempotencyReset.a_reset_frees_a_retained_key_and_leaves_its_run_alone"),
      that(
          "does not name the owner of a key",
          Nameless::new,
          "Idempotency.a_second_run_with_a_live_key_is_refused_with_its_owner_and_stores_nothing",
          "Singleton.every_active_run_keeps_others_with_its_key_out"));

  private BrokenOwners() {}

  private static String key(AppendRunEvents command) {
    return command.environment().name() + "/" + command.projectedRun().taskId() + "/"
        + command.projectedRun().keys().idempotencyKey();
  }

  private static String key(GetRunByIdempotencyKey query) {
    return query.environment().name() + "/" + query.taskId() + "/" + query.idempotencyKey();
  }

  private static boolean isConflict(Throwable failure, StorageConflictKind kind) {
    return failure instanceof RunlaneException ours && ours.isConflict(kind);
  }

  private static final class Overwriting extends ForwardingStorage {
    private final Map<String, String> owners = new ConcurrentHashMap<>();

    Overwriting(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(command).recover(failure -> {
        if (!isConflict(failure, StorageConflictKind.IDEMPOTENCY_KEY)) {
          return Future.failedFuture(failure);
        }
        owners.put(key(command), command.runId());
        return real.appendRunEvents(Records.withKeys(command, RunKeys.NONE));
      });
    }

    @Override
    public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
      String owner = owners.get(key(query));
      return owner == null
          ? real.getRunByIdempotencyKey(query)
          : real.getRun(new GetRun(query.environment(), owner));
    }
  }

  private static final class NoTtl extends ForwardingStorage {
    NoTtl(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
      return real.getRunByIdempotencyKey(new GetRunByIdempotencyKey(
          query.environment(), query.taskId(), query.idempotencyKey(), Instant.EPOCH));
    }
  }

  /** Remembers owners that gave their key up. */
  private static final class Remembering extends ForwardingStorage {
    private final Map<String, String> owners = new ConcurrentHashMap<>();
    private final Predicate<RunRecord> wrongly;

    Remembering(StorageAdapter real, Predicate<RunRecord> wrongly) {
      super(real);
      this.wrongly = wrongly;
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(command).onSuccess(stored -> {
        if (stored.run().keys().idempotencyKey() != null && wrongly.test(stored.run())) {
          owners.put(key(command), command.runId());
        }
      });
    }

    @Override
    public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
      String owner = owners.get(key(query));
      return owner == null
          ? real.getRunByIdempotencyKey(query)
          : real.getRun(new GetRun(query.environment(), owner));
    }
  }

  private static final class DeletingLookup extends ForwardingStorage {
    DeletingLookup(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<RunRecord>> getRunByIdempotencyKey(GetRunByIdempotencyKey query) {
      return real.getRunByIdempotencyKey(query)
          .compose(found -> found.isPresent()
              ? Future.succeededFuture(found)
              : real.resetIdempotencyKey(new ResetIdempotencyKey(
                      query.environment(), query.taskId(), query.idempotencyKey(), query.now()))
                  .map(found));
    }
  }

  private static final class EternalBlock extends ForwardingStorage {
    EternalBlock(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(new AppendRunEvents(
          command.environment(),
          command.runId(),
          command.expectedSequence(),
          command.events(),
          command.projectedRun(),
          command.queuePolicy(),
          Instant.EPOCH,
          command.claimOutboxFor()));
    }
  }

  private static final class EternalSingleton extends ForwardingStorage {
    private final Set<String> taken = ConcurrentHashMap.newKeySet();

    EternalSingleton(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      String key = command.projectedRun().keys().singletonKey();
      if (key == null || command.expectedSequence() > 0) {
        return real.appendRunEvents(command);
      }
      if (!taken.add(command.environment().name() + command.projectedRun().taskId() + key)) {
        return Future.failedFuture(
            RunlaneException.conflict(StorageConflictKind.SINGLETON_KEY, "taken"));
      }
      return real.appendRunEvents(command);
    }
  }

  private static final class Keyless extends ForwardingStorage {
    private final UnaryOperator<RunKeys> without;

    Keyless(StorageAdapter real, UnaryOperator<RunKeys> without) {
      super(real);
      this.without = without;
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(
          Records.withKeys(command, without.apply(command.projectedRun().keys())));
    }
  }

  private static final class ResettingActive extends ForwardingStorage {
    ResettingActive(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
      return real.resetIdempotencyKey(command).otherwiseEmpty();
    }
  }

  private static final class NoReset extends ForwardingStorage {
    NoReset(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> resetIdempotencyKey(ResetIdempotencyKey command) {
      return real.getRunByIdempotencyKey(new GetRunByIdempotencyKey(
              command.environment(), command.taskId(), command.idempotencyKey(), command.now()))
          .compose(owner -> owner.filter(run -> run.status().isActive()).isPresent()
              ? real.resetIdempotencyKey(command)
              : Future.succeededFuture());
    }
  }

  private static final class Nameless extends ForwardingStorage {
    Nameless(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(command).recover(failure -> {
        Optional<StorageConflictKind> kind =
            failure instanceof RunlaneException ours ? ours.conflictKind() : Optional.empty();
        return Future.failedFuture(
            kind.isPresent() ? RunlaneException.conflict(kind.get(), "somebody") : failure);
      });
    }
  }
}
