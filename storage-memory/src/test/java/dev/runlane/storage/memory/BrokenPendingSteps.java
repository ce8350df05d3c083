package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.storage.memory.BrokenOperatorStores.store;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.fixture.Fixture;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.step.ClaimDueSteps;
import dev.runlane.storage.step.ClaimedStep;
import dev.runlane.storage.step.ListPendingSteps;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.storage.step.RemovePendingSteps;
import dev.runlane.storage.step.ReschedulePendingSteps;
import dev.runlane.storage.step.RetryStep;
import dev.runlane.storage.step.StepStorage;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Storages that keep pending steps wrongly. */
final class BrokenPendingSteps {
  private static final String MADE =
      "PendingStep.a_request_makes_a_pending_step_that_is_due_when_the_event_occurred";
  private static final String SHOWN =
      "PendingStep.operators_see_steps_by_their_ids_of_all_of_a_run_and_of_a_group";
  private static final String GROUPS =
      "PendingStep.operators_see_the_groups_whose_workers_steps_of_active_runs_wait_for";
  private static final String PAGED =
      "PendingStep.operators_see_steps_in_pages_whose_cursors_belong_to_the_same_list";
  private static final String CLAIMED =
      "PendingStepClaim.a_claimed_step_is_nobody_elses_until_the_claim_is_over";
  private static final String MOVED =
      "PendingStepClaim.a_moved_step_is_due_when_it_was_said_and_shows_its_dispatch";
  private static final String RETRIED =
      "PendingStepClaim.a_retry_makes_the_next_attempt_due_undispatched_and_unclaimed";
  private static final String ENDED =
      "PendingStep.the_end_of_a_run_marks_what_is_pending_and_makes_it_due_at_once";
  private static final String FORGOTTEN =
      "PendingStep.what_a_run_left_is_forgotten_by_whoever_has_claimed_it_and_only_after_its_end";

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that("keeps no pending steps", broken(Forgetful::new), MADE, CLAIMED, ENDED, RETRIED),
      that(
          "keeps steps that have their result",
          Hoarding::new,
          "PendingStep.a_result_removes_its_step_and_no_other",
          "PendingStep.a_result_removes_a_step_that_somebody_has_claimed",
          "PendingStep.pruning_a_run_removes_what_it_left"),
      that(
          "hides the steps of ended runs",
          broken(Hiding::new),
          ENDED,
          FORGOTTEN,
          "PendingStep.a_run_that_is_cancelled_while_it_awaits_its_steps_marks_them_too"),
      that(
          "shows operators the steps of all runs for those of one",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Page<WaitingStep>> listSteps(ListSteps query) {
              return super.listSteps(new ListSteps(
                  query.environment(), null, query.group(), query.limit(), query.cursor()));
            }
          }),
          SHOWN,
          GROUPS,
          PAGED),
      that(
          "shows operators the steps of any group",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Page<WaitingStep>> listSteps(ListSteps query) {
              return super.listSteps(new ListSteps(
                  query.environment(), query.runId(), null, query.limit(), query.cursor()));
            }
          }),
          SHOWN),
      that(
          "shows operators one step too few and no other page",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Page<WaitingStep>> listSteps(ListSteps query) {
              return super.listSteps(query)
                  .map(page -> new Page<>(
                      page.data().subList(0, Math.max(0, page.data().size() - 1)), null));
            }
          }),
          SHOWN,
          GROUPS,
          PAGED),
      that(
          "counts the steps of all environments in groups",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Page<StepGroup>> listStepGroups(ListStepGroups query) {
              return super.listStepGroups(new ListStepGroups(ENVIRONMENT));
            }
          }),
          GROUPS),
      that(
          "lets everybody claim a step",
          broken(Sharing::new),
          CLAIMED,
          "PendingStepClaim.competing_claims_never_get_the_same_step_and_get_all_of_them_in_the_end"),
      that(
          "claims more than wanted",
          broken(Greedy::new),
          "PendingStepClaim.the_steps_due_longest_are_claimed_first_and_not_more_than_wanted"),
      that(
          "claims the steps due shortest first",
          broken(Hasty::new),
          "PendingStepClaim.the_steps_due_longest_are_claimed_first_and_not_more_than_wanted"),
      that(
          "shows the steps of another environment",
          broken(Wandering::new),
          "PendingStep.pending_steps_belong_to_their_environment"),
      that("moves steps for whoever asks", broken(Trusting::new), CLAIMED),
      that("does not remember when a step was dispatched", broken(Undispatched::new), MOVED),
      that(
          "says it moved every step",
          broken(Boasting::new),
          "PendingStepClaim.each_move_of_a_command_succeeds_or_not_by_itself",
          "PendingStepClaim.a_move_ends_the_claim"),
      that("forgets nothing and says it did", broken(Keeping::new), FORGOTTEN),
      that(
          "forgets the first of several",
          broken(Sparing::new),
          "PendingStep.each_removal_of_a_command_succeeds_or_not_by_itself"),
      that(
          "retries as often as it is asked",
          broken(Tireless::new),
          "PendingStepClaim.an_attempt_is_retried_once_and_only_while_the_step_is_pending",
          "PendingStepClaim.of_competing_retries_of_one_attempt_one_wins"),
      that("retries at another time", broken(Late::new), RETRIED),
      that("does not remember which result was counted", broken(Uncounted::new), RETRIED),
      that(
          "lists all steps for one",
          broken(Verbose::new),
          "PendingStep.the_steps_of_a_run_are_listed_by_their_positions_and_one_by_its_id"),
      that(
          "lists steps in the order of their ids",
          broken(Alphabetical::new),
          "PendingStep.the_steps_of_a_run_are_listed_by_their_positions_and_one_by_its_id"),
      that(
          "takes malformed commands",
          broken(Careless::new),
          "PendingStepClaim.malformed_commands_are_refused_and_change_nothing"));

  private BrokenPendingSteps() {}

  private static UnaryOperator<StorageAdapter> broken(Function<StepStorage, StepStorage> breaking) {
    return real -> {
      Optional<StepStorage> steps = real.steps().map(breaking);
      return new ForwardingStorage(real) {
        @Override
        public Optional<StepStorage> steps() {
          return steps;
        }
      };
    };
  }

  private static class Forwarding implements StepStorage {
    final StepStorage real;

    Forwarding(StepStorage real) {
      this.real = real;
    }

    @Override
    public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
      return real.claimDueSteps(command);
    }

    @Override
    public Future<Set<String>> reschedulePendingSteps(ReschedulePendingSteps command) {
      return real.reschedulePendingSteps(command);
    }

    @Override
    public Future<Set<String>> removePendingSteps(RemovePendingSteps command) {
      return real.removePendingSteps(command);
    }

    @Override
    public Future<Boolean> retryStep(RetryStep command) {
      return real.retryStep(command);
    }

    @Override
    public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
      return real.listPendingSteps(query);
    }
  }

  private static final class Forgetful extends Forwarding {
    Forgetful(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
      return Future.succeededFuture(List.of());
    }

    @Override
    public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
      return Future.succeededFuture(List.of());
    }
  }

  /** Remembers, before each append, what the run had. */
  private static final class Hoarding extends ForwardingStorage {
    private final Map<String, PendingStep> seen = new ConcurrentSkipListMap<>();

    Hoarding(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      StepStorage kept = real.steps().orElseThrow();
      return kept.listPendingSteps(
              new ListPendingSteps(command.environment(), command.runId(), null))
          .compose(found -> {
            found.forEach(step -> seen.put(step.stepId(), step));
            return real.appendRunEvents(command);
          });
    }

    @Override
    public Optional<StepStorage> steps() {
      return real.steps().map(kept -> new Forwarding(kept) {
        @Override
        public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
          return kept.listPendingSteps(query).map(found -> {
            Map<String, PendingStep> all = new TreeMap<>(seen);
            found.forEach(step -> all.put(step.stepId(), step));
            return all.values().stream()
                .filter(step -> step.runId().equals(query.runId()))
                .toList();
          });
        }
      });
    }
  }

  private static final class Hiding extends Forwarding {
    Hiding(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
      return real.claimDueSteps(command)
          .map(claimed ->
              claimed.stream().filter(each -> !each.step().runEnded()).toList());
    }

    @Override
    public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
      return real.listPendingSteps(query)
          .map(found -> found.stream().filter(step -> !step.runEnded()).toList());
    }
  }

  private static final class Sharing extends Forwarding {
    Sharing(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
      return real.claimDueSteps(command)
          .compose(claimed -> real.reschedulePendingSteps(new ReschedulePendingSteps(
                  command.environment(),
                  claimed.stream()
                      .map(each -> new ReschedulePendingSteps.NextCheck(
                          each.step().runId(),
                          each.step().stepId(),
                          each.token(),
                          command.now(),
                          each.step().dispatchedAt()))
                      .toList()))
              .map(claimed));
    }
  }

  private static final class Greedy extends Forwarding {
    Greedy(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
      int more = command.limit() < 1 ? command.limit() : command.limit() + 1;
      return real.claimDueSteps(
          new ClaimDueSteps(command.environment(), command.now(), command.claimFor(), more));
    }
  }

  private static final class Hasty extends Forwarding {
    Hasty(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
      return real.claimDueSteps(command).map(claimed -> {
        List<ClaimedStep> reversed = new ArrayList<>(claimed);
        Collections.reverse(reversed);
        return reversed;
      });
    }
  }

  private static final class Wandering extends Forwarding {
    Wandering(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
      return real.listPendingSteps(
          new ListPendingSteps(Fixture.ENVIRONMENT, query.runId(), query.stepId()));
    }
  }

  private static final class Trusting extends Forwarding {
    private final Map<String, String> tokens = new ConcurrentHashMap<>();

    Trusting(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedStep>> claimDueSteps(ClaimDueSteps command) {
      return real.claimDueSteps(command).map(claimed -> {
        claimed.forEach(each -> tokens.put(each.step().stepId(), each.token()));
        return claimed;
      });
    }

    @Override
    public Future<Set<String>> reschedulePendingSteps(ReschedulePendingSteps command) {
      return real.reschedulePendingSteps(new ReschedulePendingSteps(
          command.environment(),
          command.moves().stream()
              .map(move -> new ReschedulePendingSteps.NextCheck(
                  move.runId(),
                  move.stepId(),
                  tokens.getOrDefault(move.stepId(), move.token()),
                  move.checkAt(),
                  move.dispatchedAt()))
              .toList()));
    }
  }

  private static final class Undispatched extends Forwarding {
    Undispatched(StepStorage real) {
      super(real);
    }

    @Override
    public Future<Set<String>> reschedulePendingSteps(ReschedulePendingSteps command) {
      return real.reschedulePendingSteps(new ReschedulePendingSteps(
          command.environment(),
          command.moves().stream()
              .map(move -> new ReschedulePendingSteps.NextCheck(
                  move.runId(), move.stepId(), move.token(), move.checkAt(), null))
              .toList()));
    }
  }

  private static final class Boasting extends Forwarding {
    Boasting(StepStorage real) {
      super(real);
    }

    @Override
    public Future<Set<String>> reschedulePendingSteps(ReschedulePendingSteps command) {
      return real.reschedulePendingSteps(command).map(moved -> command.moves().stream()
          .map(ReschedulePendingSteps.NextCheck::stepId)
          .collect(Collectors.toSet()));
    }
  }

  private static final class Keeping extends Forwarding {
    Keeping(StepStorage real) {
      super(real);
    }

    @Override
    public Future<Set<String>> removePendingSteps(RemovePendingSteps command) {
      return Future.succeededFuture(command.steps().stream()
          .map(RemovePendingSteps.Removal::stepId)
          .collect(Collectors.toSet()));
    }
  }

  private static final class Sparing extends Forwarding {
    Sparing(StepStorage real) {
      super(real);
    }

    @Override
    public Future<Set<String>> removePendingSteps(RemovePendingSteps command) {
      return real.removePendingSteps(new RemovePendingSteps(
          command.environment(), command.steps().stream().limit(1).toList()));
    }
  }

  private static final class Tireless extends Forwarding {
    Tireless(StepStorage real) {
      super(real);
    }

    @Override
    public Future<Boolean> retryStep(RetryStep command) {
      return real.retryStep(command).map(true);
    }
  }

  private static final class Late extends Forwarding {
    Late(StepStorage real) {
      super(real);
    }

    @Override
    public Future<Boolean> retryStep(RetryStep command) {
      return real.retryStep(new RetryStep(
          command.environment(),
          command.runId(),
          command.stepId(),
          command.attempt(),
          command.resultAt(),
          command.nextAt().plusSeconds(1)));
    }
  }

  private static final class Uncounted extends Forwarding {
    Uncounted(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
      return real.listPendingSteps(query).map(found -> found.stream()
          .map(step -> new PendingStep(
              step.request(),
              step.attempt(),
              step.nextAt(),
              step.dispatchedAt(),
              null,
              step.runEnded()))
          .toList());
    }
  }

  private static final class Verbose extends Forwarding {
    Verbose(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
      return real.listPendingSteps(new ListPendingSteps(query.environment(), query.runId(), null));
    }
  }

  private static final class Alphabetical extends Forwarding {
    Alphabetical(StepStorage real) {
      super(real);
    }

    @Override
    public Future<List<PendingStep>> listPendingSteps(ListPendingSteps query) {
      return real.listPendingSteps(query)
          .map(found ->
              found.stream().sorted(Comparator.comparing(PendingStep::stepId)).toList());
    }
  }

  private static final class Careless extends Forwarding {
    Careless(StepStorage real) {
      super(real);
    }

    @Override
    public Future<Boolean> retryStep(RetryStep command) {
      return command.attempt() < 1 ? Future.succeededFuture(false) : real.retryStep(command);
    }
  }
}
