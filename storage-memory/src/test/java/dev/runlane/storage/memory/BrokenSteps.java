package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.Json;
import dev.runlane.steps.ForwardingStepTransport;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Step transports with one fault each, most of them found in existing implementations of the tables. */
final class BrokenSteps {
  private static final int GROUPS = 32;
  private static final int PART = 512;
  private static final String FORTY_GROUPS =
      "StepClaims.of_forty_groups_the_oldest_tasks_come_first_whichever_group_they_are_of";
  private static final String HUNDREDS =
      "StepSettlements.hundreds_of_results_of_one_instant_are_recorded_listed_claimed_and_settled";

  static final List<BrokenAdapter<StepTransport>> ALL = List.of(
      that(
          "says pending when a retry was swallowed",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
              return real.dispatchSteps(command)
                  .map(all -> mapped(
                      all,
                      each -> each == DispatchOutcome.BLOCKED ? DispatchOutcome.PENDING : each));
            }
          },
          "StepDispatch.a_later_attempt_is_blocked_while_an_earlier_one_stands"),
      that(
          "overwrites a task on a second dispatch",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
              return real.withdrawSteps(new WithdrawSteps(ids(command.steps())))
                  .compose(gone -> real.dispatchSteps(command));
            }
          },
          "StepDispatch.a_second_dispatch_changes_nothing",
          "StepDispatch.competing_dispatches_of_the_same_steps_store_each_once"),
      that(
          "asks again for a step whose result stands",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<DispatchOutcome>> dispatchMissingSteps(DispatchSteps command) {
              return real.dispatchSteps(command);
            }
          },
          "StepDispatch.a_step_whose_result_stands_is_not_dispatched_again"),
      that(
          "overwrites a task where it dispatches what is missing",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<DispatchOutcome>> dispatchMissingSteps(DispatchSteps command) {
              return real.withdrawSteps(new WithdrawSteps(ids(command.steps())))
                  .compose(gone -> real.dispatchMissingSteps(command));
            }
          },
          "StepDispatch.dispatching_what_is_missing_leaves_tasks_as_they_are",
          "StepDispatch.a_task_that_has_a_result_beside_it_counts_as_a_task"),
      that(
          "tells the outcomes of a dispatch in another order",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
              return real.dispatchSteps(command).map(BrokenSteps::reversed);
            }
          },
          "StepDispatch.outcomes_stand_in_the_order_of_the_steps"),
      that(
          "cuts ids to what fits",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
              return real.dispatchSteps(
                  new DispatchSteps(mapped(command.steps(), BrokenSteps::cut), command.now()));
            }
          },
          "StepDispatch.ids_names_and_groups_of_191_characters_are_kept_and_longer_ones_refused"),
      that(
          "writes JSON anew",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
              return real.claimStepTasks(command)
                  .map(all -> mapped(all, each -> with(each, compact(each.task().input()))));
            }
          },
          "StepDispatch.any_json_is_kept_exactly"),
      that(
          "repairs halves of surrogate pairs",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
              return real.claimStepTasks(command)
                  .map(
                      all -> mapped(all, each -> with(each, repaired(each.task().input()))));
            }
          },
          "StepDispatch.every_text_that_json_allows_is_kept_nul_and_half_pairs_among_it"),
      that(
          "compares groups without regard to case",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
              return real.dispatchSteps(new DispatchSteps(
                  mapped(command.steps(), each -> each.in(each.group().toLowerCase(Locale.ROOT))),
                  command.now()));
            }
          },
          "StepClaims.a_group_is_matched_exactly"),
      that(
          "claims one task more than asked",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
              return real.claimStepTasks(new ClaimStepTasks(
                  command.groups(),
                  command.workerId(),
                  command.now(),
                  command.leaseFor(),
                  command.limit() + 1));
            }
          },
          "StepClaims.the_oldest_come_first_and_no_more_than_the_limit",
          "StepClaims.a_malformed_claim_fails"),
      that(
          "claims the youngest first",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
              return real.claimStepTasks(command).map(BrokenSteps::reversed);
            }
          },
          "StepClaims.the_oldest_come_first_and_no_more_than_the_limit"),
      that(
          "takes a lease over at exactly its age",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
              return real.claimStepTasks(new ClaimStepTasks(
                  command.groups(),
                  command.workerId(),
                  command.now(),
                  command.leaseFor().minusMillis(1),
                  command.limit()));
            }
          },
          "StepClaims.a_fresh_lease_is_left_alone"),
      that(
          "fails a whole claim with one unreadable input",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
              return real.claimStepTasks(command)
                  .compose(all -> all.stream().allMatch(each -> each.inputFault() == null)
                      ? Future.succeededFuture(all)
                      : Future.failedFuture(new IllegalStateException("malformed JSON")));
            }
          },
          "StepClaims.an_unreadable_input_is_told_with_its_task_and_disturbs_no_other"),
      that(
          "renews nothing and says it did",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<Set<String>> renewStepTasks(RenewStepTasks command) {
              return Future.succeededFuture(
                  command.claims().stream().map(each -> each.stepId()).collect(Collectors.toSet()));
            }
          },
          "StepLeases.a_renewed_lease_is_not_taken_over",
          "StepLeases.renewing_tells_what_is_still_held",
          "StepLeases.a_lease_that_was_taken_over_is_not_renewed"),
      that(
          "does not hand tasks back",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<Void> releaseStepTasks(ReleaseStepTasks command) {
              return Future.succeededFuture();
            }
          },
          "StepLeases.a_released_task_can_be_claimed_at_once"),
      that(
          "withdraws only what nobody leases",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<Integer> withdrawSteps(WithdrawSteps command) {
              return Future.succeededFuture(0);
            }
          },
          "StepLeases.a_withdrawn_step_has_neither_task_nor_lease"),
      that(
          "says recorded without the lease",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
              return real.recordStepResults(command)
                  .map(all -> mapped(
                      all,
                      each -> each == RecordOutcome.LEASE_LOST ? RecordOutcome.RECORDED : each));
            }
          },
          "StepRecords.without_the_lease_nothing_is_recorded",
          "StepRecords.competing_owners_record_one_result"),
      that(
          "deletes the task although the result of an earlier attempt is in the way",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
              return real.recordStepResults(command)
                  .compose(all -> real.withdrawSteps(new WithdrawSteps(command.results().stream()
                          .map(each -> each.claim().stepId())
                          .toList()))
                      .map(all));
            }
          },
          "StepRecords.a_result_of_an_earlier_attempt_is_waited_for",
          "StepRecords.without_the_lease_nothing_is_recorded"),
      that(
          "forgets why a step failed",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
              return real.recordStepResults(new RecordStepResults(
                  mapped(
                      command.results(),
                      each -> new RecordStepResults.Ended(
                          each.claim(), new StepOutcome.Completed(null), each.startedAt())),
                  command.now()));
            }
          },
          "StepRecords.a_failure_arrives_with_all_that_it_says",
          "StepRecords.a_recorded_result_takes_the_place_of_the_task"),
      that(
          "claims results that were not named",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command) {
              return real.listStepResults(
                      new ListStepResults(command.now(), command.leaseFor(), null, 100))
                  .compose(all -> real.claimStepResults(new ClaimStepResults(
                      all.stream().map(StepResultRef::stepId).toList(),
                      command.engineId(),
                      command.now(),
                      command.leaseFor())));
            }
          },
          "StepSettlements.exactly_the_results_named_are_claimed"),
      that(
          "lists the first page only",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<StepResultRef>> listStepResults(ListStepResults query) {
              return real.listStepResults(
                  new ListStepResults(query.now(), query.leaseFor(), null, query.limit()));
            }
          },
          "StepSettlements.results_are_listed_by_age_and_page_by_page_without_being_changed",
          "StepDelivery.two_stores_on_one_transport_never_take_each_others_results"),
      that(
          "settles and loses the next attempt",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
              return real.settleStepResults(new SettleStepResults(
                  mapped(
                      command.settlements(),
                      each -> new SettleStepResults.Settlement(each.claim(), null)),
                  command.now()));
            }
          },
          "StepSettlements.the_next_attempt_is_dispatched_with_the_settlement",
          "StepSettlements.while_the_task_stands_a_retry_is_not_swallowed",
          "StepDelivery.a_retry_waits_until_another_worker_has_taken_its_task_away"),
      that(
          "says settled without the claim",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
              return real.settleStepResults(command)
                  .map(all -> mapped(all, each -> SettleOutcome.SETTLED));
            }
          },
          "StepSettlements.a_claimed_result_is_left_alone_until_the_claim_is_old",
          "StepSettlements.outcomes_stand_in_the_order_of_the_settlements"),
      that(
          "gives results up without a pause",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<Void> releaseStepResults(ReleaseStepResults command) {
              return real.releaseStepResults(new ReleaseStepResults(
                  command.claims(), command.now(), command.leaseFor(), Duration.ZERO));
            }
          },
          "StepSettlements.a_released_result_comes_again_after_its_pause"),
      that(
          "discards what is not old",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<Integer> discardStepResults(DiscardStepResults command) {
              return real.discardStepResults(new DiscardStepResults(
                  command.stepIds(),
                  command.createdBefore().plusSeconds(60),
                  command.now(),
                  command.leaseFor()));
            }
          },
          "StepSettlements.only_old_results_that_nobody_holds_are_discarded"),
      that(
          "finds nothing missing",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<String>> listMissingSteps(ListMissingSteps query) {
              return Future.succeededFuture(List.of());
            }
          },
          "StepSettlements.a_step_is_missing_when_it_has_neither_task_nor_result"),
      that(
          "shows no task as taken",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<StepTaskState>> listStepTasks(ListStepTasks query) {
              return real.listStepTasks(query)
                  .map(all ->
                      mapped(all, each -> new StepTaskState(each.stepId(), each.attempt(), null)));
            }
          },
          "StepDispatch.a_task_shows_since_when_a_worker_has_it"),
      that(
          "claims from the first groups alone",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
              return real.claimStepTasks(
                  ofGroups(command, firstPart(command.groups(), GROUPS), command.limit()));
            }
          },
          FORTY_GROUPS),
      that(
          "claims as many as are wanted from the first groups, and the rest from those behind",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
              List<String> first = firstPart(command.groups(), GROUPS);
              List<String> rest =
                  command.groups().subList(first.size(), command.groups().size());
              return real.claimStepTasks(ofGroups(command, first, command.limit()))
                  .compose(some -> rest.isEmpty() || some.size() == command.limit()
                      ? Future.succeededFuture(some)
                      : real.claimStepTasks(ofGroups(command, rest, command.limit() - some.size()))
                          .map(others -> joined(some, others)));
            }
          },
          FORTY_GROUPS),
      that(
          "records the first part of the results of a call",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
              List<RecordStepResults.Ended> first = firstPart(command.results(), PART);
              return real.recordStepResults(new RecordStepResults(first, command.now()))
                  .map(some -> joined(
                      some,
                      Collections.nCopies(
                          command.results().size() - first.size(), RecordOutcome.RECORDED)));
            }
          },
          HUNDREDS),
      that(
          "goes on with a list of results behind the instant of the page before",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<StepResultRef>> listStepResults(ListStepResults query) {
              return real.listStepResults(query).map(all -> all.stream()
                  .filter(each -> query.after() == null
                      || !each.createdAt().equals(query.after().createdAt()))
                  .toList());
            }
          },
          HUNDREDS),
      that(
          "claims the first part of the results that are named",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command) {
              return real.claimStepResults(new ClaimStepResults(
                  firstPart(command.stepIds(), PART),
                  command.engineId(),
                  command.now(),
                  command.leaseFor()));
            }
          },
          HUNDREDS),
      that(
          "settles the first part of the results of a call",
          real -> new ForwardingStepTransport(real) {
            @Override
            public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
              List<SettleStepResults.Settlement> first = firstPart(command.settlements(), PART);
              return real.settleStepResults(new SettleStepResults(first, command.now()))
                  .map(some -> joined(
                      some,
                      Collections.nCopies(
                          command.settlements().size() - first.size(), SettleOutcome.SETTLED)));
            }
          },
          HUNDREDS));

  private BrokenSteps() {}

  private static <A, B> List<B> mapped(List<A> all, Function<A, B> how) {
    return all.stream().map(how).toList();
  }

  private static <T> List<T> firstPart(List<T> all, int part) {
    return all.subList(0, Math.min(part, all.size()));
  }

  private static <T> List<T> joined(List<T> before, List<T> after) {
    return Stream.of(before, after).flatMap(List::stream).toList();
  }

  private static ClaimStepTasks ofGroups(ClaimStepTasks command, List<String> groups, int limit) {
    return new ClaimStepTasks(groups, command.workerId(), command.now(), command.leaseFor(), limit);
  }

  private static <T> List<T> reversed(List<T> all) {
    List<T> reversed = new ArrayList<>(all);
    Collections.reverse(reversed);
    return reversed;
  }

  private static List<String> ids(List<StepTask> steps) {
    return mapped(steps, StepTask::stepId);
  }

  private static StepTask cut(StepTask task) {
    return new StepTask(
        cut(task.stepId()),
        cut(task.runId()),
        task.seq(),
        cut(task.name()),
        cut(task.group()),
        task.input(),
        task.attempt());
  }

  private static String cut(String text) {
    int most = Math.min(191, text.codePointCount(0, text.length()));
    return text.substring(0, text.offsetByCodePoints(0, most));
  }

  private static Json compact(Json input) {
    return input == null ? null : Json.ofChecked(input.text().replace(" ", ""));
  }

  private static Json repaired(Json input) {
    return input == null ? null : Json.ofChecked(input.text().replace("\\ud800", "\\ufffd"));
  }

  private static ClaimedStepTask with(ClaimedStepTask claimed, Json input) {
    StepTask task = claimed.task();
    return new ClaimedStepTask(
        claimed.claim(),
        new StepTask(
            task.stepId(),
            task.runId(),
            task.seq(),
            task.name(),
            task.group(),
            input,
            task.attempt()),
        claimed.inputFault(),
        claimed.dispatchedAt());
  }
}
