package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Storages that serve many commands at once wrongly. */
final class BrokenBatches {
  private static final Duration A_YEAR = Duration.ofDays(365);

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "mixes the outcomes of a batch up",
          batches(real -> new Forwarding(real) {
            @Override
            public Future<List<CommandOutcome<AppendedRun>>> appendAll(
                List<AppendRunEvents> commands) {
              return real.appendAll(commands).map(BrokenBatches::reversed);
            }
          }),
          "BatchAppend.outcome_i_belongs_to_command_i_and_tells_what_is_stored"),
      that(
          "does the commands of a batch in another order",
          batches(real -> new Forwarding(real) {
            @Override
            public Future<List<CommandOutcome<AppendedRun>>> appendAll(
                List<AppendRunEvents> commands) {
              return real.appendAll(reversed(commands)).map(BrokenBatches::reversed);
            }
          }),
          "BatchAppend.commands_for_one_run_take_effect_in_the_order_given",
          "BatchAppend.of_two_commands_for_one_sequence_the_first_wins",
          "BatchAppend.of_two_creations_with_one_key_the_first_wins_and_the_second_learns_it"),
      that(
          "fails a whole batch with one of its commands",
          batches(AllOrNothing::new),
          "BatchAppend.commands_that_fail_leave_their_neighbours_alone",
          "BatchAppend.an_inconsistent_command_fails_alone"),
      that(
          "stores the good commands of a batch with a malformed one",
          batches(OneByOne::new),
          "BatchAppend.a_malformed_command_fails_the_whole_batch_with_nothing_stored"),
      that(
          "refuses the commands of a batch beyond what may wait",
          batches(real -> new Forwarding(real) {
            @Override
            public Future<List<CommandOutcome<AppendedRun>>> appendAll(
                List<AppendRunEvents> commands) {
              return real.appendAll(commands.stream().limit(64).toList())
                  .map(appended -> refusedFrom(appended, commands.size()));
            }
          }),
          "BatchAmounts.commands_that_hold_more_together_than_may_wait_are_all_appended"),
      that(
          "claims no outbox messages in a batch",
          batches(real -> new Forwarding(real) {
            @Override
            public Future<List<CommandOutcome<AppendedRun>>> appendAll(
                List<AppendRunEvents> commands) {
              return real.appendAll(commands.stream().map(Records::withoutClaim).toList());
            }
          }),
          "BatchAppend.each_command_decides_whether_its_outbox_messages_are_claimed"),
      that(
          "makes leases that are too short a microsecond long",
          claims(command -> new ClaimRuns(
              command.environment(),
              command.queues(),
              command.taskIds(),
              command.workerId(),
              command.leaseToken(),
              command.leaseFor().toNanos() < 1_000 ? Duration.ofNanos(1_000) : command.leaseFor(),
              command.now(),
              command.limit(),
              command.runIds())),
          "BatchClaim.a_malformed_claim_is_refused_and_claims_nothing"),
      that(
          "claims runs beyond the limit of their partition",
          claims(command -> with(
              command,
              command.queues().stream()
                  .map(policy -> QueuePolicy.unbounded(policy.queue()))
                  .toList(),
              command.limit())),
          "BatchClaim.no_partition_goes_above_its_limit",
          "BatchClaimRace.competing_claims_never_overfill_a_partition"),
      that(
          "claims more runs than were asked for",
          claims(command -> with(command, command.queues(), command.limit() + 1)),
          "BatchClaim.those_due_longest_come_first_and_no_more_than_the_limit"),
      that(
          "claims runs that are not due",
          claims(command -> new ClaimRuns(
              command.environment(),
              command.queues(),
              command.taskIds(),
              command.workerId(),
              command.leaseToken(),
              command.leaseFor(),
              command.now().plus(A_YEAR),
              command.limit(),
              command.runIds())),
          "BatchClaim.an_expired_lease_is_taken_over_and_its_owner_loses_it"),
      that(
          "claims due runs whichever are named",
          claims(command -> named(command, null)),
          "BatchClaim.of_named_runs_those_that_are_due_are_claimed_as_the_reducer_would"),
      that(
          "claims the first of the runs that are named",
          claims(command -> named(
              command,
              command.runIds() == null
                  ? null
                  : command.runIds().subList(0, Math.min(1, command.runIds().size())))),
          "BatchClaim.of_named_runs_no_more_than_the_limit_are_claimed_and_each_once"),
      that(
          "claims queue after queue",
          batches(QueueAfterQueue::new),
          "BatchClaim.those_due_longest_come_first_whatever_their_queue_and_partition"),
      that(
          "says of no claim that there is more",
          batches(real -> new Forwarding(real) {
            @Override
            public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
              return real.claimRuns(command).map(found -> new ClaimedRuns(found.runs(), false));
            }
          }),
          "BatchClaim.those_due_longest_come_first_and_no_more_than_the_limit"),
      that(
          "tells of claimed runs as if they had always been so",
          batches(real -> new Forwarding(real) {
            @Override
            public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
              return real.claimRuns(command)
                  .map(found -> new ClaimedRuns(
                      found.runs().stream()
                          .map(each ->
                              new ClaimedRuns.Claimed(each.run(), each.run(), each.events()))
                          .toList(),
                      found.mayHaveMore()));
            }
          }),
          "BatchClaim.each_claimed_run_is_exactly_what_the_reducer_makes_of_its_events"),
      that(
          "claims nothing",
          batches(real -> new Forwarding(real) {
            @Override
            public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
              return Future.succeededFuture(new ClaimedRuns(List.of(), false));
            }
          }),
          "BatchClaim.each_claimed_run_is_exactly_what_the_reducer_makes_of_its_events",
          "BatchClaim.a_freed_slot_is_claimed_again"),
      that(
          "looks at the first partitions of a queue",
          batches(FirstPartitions::new),
          "BatchAmounts.claims_reach_every_partition_as_long_as_there_may_be_more",
          "BatchAmounts.hundreds_of_full_partitions_do_not_starve_the_one_behind_them"),
      that(
          "goes on claiming behind the instant at which the claim before ended",
          batches(real -> new Forwarding(real) {
            private final BrokenAmounts.BehindInstant<ClaimedRuns.Claimed> claims =
                new BrokenAmounts.BehindInstant<>(each -> each.before().createdAt());

            @Override
            public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
              return real.claimRuns(command)
                  .map(found -> new ClaimedRuns(
                      claims.page("next", new Page<>(found.runs(), null)).data(),
                      found.mayHaveMore()));
            }
          }),
          "BatchAmounts.runs_that_are_due_at_one_instant_are_each_claimed_once"));

  private BrokenBatches() {}

  private static UnaryOperator<StorageAdapter> batches(UnaryOperator<BatchStorage> breaking) {
    return real -> new ForwardingStorage(real) {
      private final BatchStorage broken = breaking.apply(real.batch().orElseThrow());

      @Override
      public Optional<BatchStorage> batch() {
        return Optional.of(broken);
      }
    };
  }

  private static UnaryOperator<StorageAdapter> claims(UnaryOperator<ClaimRuns> rewriting) {
    return batches(real -> new Forwarding(real) {
      @Override
      public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
        return real.claimRuns(rewriting.apply(command));
      }
    });
  }

  private static ClaimRuns with(ClaimRuns command, List<QueuePolicy> queues, int limit) {
    return new ClaimRuns(
        command.environment(),
        queues,
        command.taskIds(),
        command.workerId(),
        command.leaseToken(),
        command.leaseFor(),
        command.now(),
        limit,
        command.runIds());
  }

  private static ClaimRuns named(ClaimRuns command, @Nullable List<String> runIds) {
    return new ClaimRuns(
        command.environment(),
        command.queues(),
        command.taskIds(),
        command.workerId(),
        command.leaseToken(),
        command.leaseFor(),
        command.now(),
        command.limit(),
        runIds);
  }

  private static List<CommandOutcome<AppendedRun>> refusedFrom(
      List<CommandOutcome<AppendedRun>> appended, int size) {
    List<CommandOutcome<AppendedRun>> outcomes = new ArrayList<>(appended);
    while (outcomes.size() < size) {
      outcomes.add(new CommandOutcome.Failed<>(RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE, null, "too much is waiting already")));
    }
    return outcomes;
  }

  private static <T> List<T> reversed(List<T> list) {
    List<T> reversed = new ArrayList<>(list);
    Collections.reverse(reversed);
    return reversed;
  }

  private static class Forwarding implements BatchStorage {
    final BatchStorage real;

    Forwarding(BatchStorage real) {
      this.real = real;
    }

    @Override
    public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
      return real.appendAll(commands);
    }

    @Override
    public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
      return real.claimRuns(command);
    }
  }

  private static final class AllOrNothing extends Forwarding {
    AllOrNothing(BatchStorage real) {
      super(real);
    }

    @Override
    public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
      return real.appendAll(commands).compose(outcomes -> outcomes.stream()
          .filter(CommandOutcome.Failed.class::isInstance)
          .findFirst()
          .<Future<List<CommandOutcome<AppendedRun>>>>map(failed ->
              Future.failedFuture(((CommandOutcome.Failed<AppendedRun>) failed).failure()))
          .orElse(Future.succeededFuture(outcomes)));
    }
  }

  private static final class OneByOne extends Forwarding {
    OneByOne(BatchStorage real) {
      super(real);
    }

    @Override
    public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
      List<Future<CommandOutcome<AppendedRun>>> outcomes = new ArrayList<>();
      for (AppendRunEvents command : commands) {
        outcomes.add(real.appendAll(List.of(command))
            .map(single -> single.get(0))
            .otherwise(failure -> new CommandOutcome.Failed<>((RunlaneException) failure)));
      }
      return Future.all(outcomes)
          .map(all -> outcomes.stream().map(Future::result).toList());
    }
  }

  /** Tells nobody of the runs that it claims behind the 256th partition. */
  private static final class FirstPartitions extends Forwarding {
    private static final int MOST = 256;

    private final NavigableSet<String> partitions = new ConcurrentSkipListSet<>();

    FirstPartitions(BatchStorage real) {
      super(real);
    }

    @Override
    public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
      commands.forEach(command -> partitions.add(partition(command.projectedRun())));
      return real.appendAll(commands);
    }

    @Override
    public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
      Set<String> first = partitions.stream().limit(MOST).collect(Collectors.toUnmodifiableSet());
      return real.claimRuns(command)
          .map(found -> new ClaimedRuns(
              found.runs().stream()
                  .filter(each -> first.contains(partition(each.run())))
                  .toList(),
              found.mayHaveMore()));
    }

    private static String partition(RunRecord run) {
      return Objects.requireNonNullElse(run.keys().concurrencyKey(), "");
    }
  }

  private static final class QueueAfterQueue extends Forwarding {
    QueueAfterQueue(BatchStorage real) {
      super(real);
    }

    @Override
    public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
      List<ClaimedRuns.Claimed> claimed = new ArrayList<>();
      Future<Void> done = Future.succeededFuture();
      for (QueuePolicy queue : command.queues()) {
        done = done.compose(before -> claimed.size() == command.limit()
            ? Future.succeededFuture()
            : real.claimRuns(with(command, List.of(queue), command.limit() - claimed.size()))
                .map(found -> {
                  claimed.addAll(found.runs());
                  return null;
                }));
      }
      return done.map(all -> new ClaimedRuns(claimed, claimed.size() == command.limit()));
    }
  }
}
