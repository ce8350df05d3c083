package dev.runlane.jobs.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Job stores with one fault each, most of them found in existing implementations. */
final class BrokenJobStores {
  static final List<BrokenAdapter<JobStore>> ALL = List.of(
      that(
          "parses text payloads once more",
          saving(job -> withData(
              job, job.data().text().equals("\"123\"") ? "123" : job.data().text())),
          "Payloads.a_payload_need_not_be_an_object"),
      that(
          "writes JSON anew",
          saving(job -> withData(job, job.data().text().replace(" ", ""))),
          "Payloads.json_is_not_written_anew"),
      that(
          "drops escaped NULs, as databases do that parse JSON",
          saving(job -> withData(job, job.data().text().replace("\\u0000", ""))),
          "Payloads.every_text_that_json_allows_is_kept_nul_and_half_pairs_among_it"),
      that(
          "cuts priorities to whole numbers",
          saving(job -> withOptions(
              job,
              job.options().toBuilder()
                  .priority(Math.floor(job.options().effectivePriority()))
                  .build())),
          "Fetch.a_priority_may_have_a_fraction_and_be_negative"),
      that(
          "ignores that a job is to be the last in and first out",
          saving(job -> withOptions(job, job.options().toBuilder().lifo(null).build())),
          "Fetch.a_lifo_job_goes_before_those_of_its_priority"),
      that(
          "stores a job although its key is taken",
          saving(job -> withKey(job, null)),
          "Deduplication.a_second_job_with_the_key_is_not_stored",
          "Deduplication.competing_saves_of_one_key_store_one_job"),
      that(
          "never lets a key run out",
          saving(job -> withDeduplication(job, null)),
          "Deduplication.past_the_time_to_live_a_second_job_is_stored"),
      that(
          "drops a job that is to replace another",
          saving(job -> withDeduplication(
              job,
              job.options().deduplication() == null
                  ? null
                  : job.options().deduplication().as(JobDeduplication.Mode.KEEP))),
          "Deduplication.a_replacing_job_gives_the_open_one_its_payload_and_options",
          "Deduplication.a_debouncing_job_pushes_the_open_one_on"),
      that(
          "cuts instants to seconds",
          saving(job -> job.delayUntil() == null
              ? job
              : job.dueAt(job.delayUntil().truncatedTo(ChronoUnit.SECONDS))),
          "Delay.instants_are_kept_to_the_millisecond",
          "Delay.the_next_due_time_is_that_of_the_first_due"),
      that(
          "lets groups grow without end",
          saving(job -> withOptions(job, job.options().toBuilder().group(null).build())),
          "Groups.a_full_group_takes_no_more",
          "Groups.competing_saves_do_not_overfill_a_group"),
      that(
          "stores what comes before a failure in a call",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<SavedJob>> saveJobs(
                String queueName, List<NewJob> jobs, Instant now) {
              Future<List<SavedJob>> saved = Future.succeededFuture(List.of());
              for (NewJob job : jobs) {
                saved = saved.compose(before ->
                    real.saveJobs(queueName, List.of(job), now).map(one -> joined(before, one)));
              }
              return saved;
            }
          },
          "Groups.a_call_that_overfills_a_group_stores_nothing",
          "Checks.malformed_jobs_are_refused"),
      that(
          "writes whatever the state is",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Void> updateJob(
                String queueName, String jobId, JobUpdate updates, List<JobState> expected) {
              return real.updateJob(queueName, jobId, updates);
            }
          },
          "Jobs.an_update_in_another_state_fails_and_writes_nothing",
          "Jobs.an_unknown_job_is_in_no_expected_state",
          "Jobs.of_competing_updates_from_one_state_one_is_written"),
      that(
          "hands a job out to whoever asks",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
              return real.fetchNextJobs(command).compose(jobs -> each(
                      jobs,
                      job -> real.updateJob(
                          job.queueName(), job.id(), JobUpdate.NONE.state(JobState.WAITING)))
                  .map(jobs));
            }
          },
          "Fetch.a_job_is_handed_out_once_and_locked",
          "Races.competing_fetches_never_hand_one_job_out_twice",
          "Races.competing_grouped_fetches_never_hand_one_job_out_twice"),
      that(
          "hands out before it ends",
          handingOver((real, command) -> real.fetchNextJobs(command.fetch())
              .compose(fetched -> real.finishJobs(command.finished())
                  .map(results -> new FinishedAndFetched(results, fetched)))),
          "HandOver.a_job_that_is_tried_again_at_once_may_be_handed_out_by_the_same_call",
          "HandOver.a_parent_whose_last_child_ends_may_be_handed_out_by_the_same_call",
          "HandOver.an_ended_job_takes_no_room_in_its_group_any_more",
          "HandOver.an_ended_job_takes_no_room_in_its_queue_any_more"),
      that(
          "looks at a fetch when all has ended",
          handingOver((real, command) -> real.finishJobs(command.finished())
              .compose(results -> real.fetchNextJobs(command.fetch())
                  .map(fetched -> new FinishedAndFetched(results, fetched)))),
          "HandOver.a_malformed_hand_over_changes_nothing"),
      that(
          "hands nothing over to whoever lost a lock",
          handingOver((real, command) -> real.finishJobs(command.finished())
              .compose(results -> results.stream().anyMatch(FinishResult.LockLost.class::isInstance)
                  ? Future.succeededFuture(new FinishedAndFetched(results, List.of()))
                  : real.finishAndFetch(new FinishAndFetch(List.of(), command.fetch()))
                      .map(over -> new FinishedAndFetched(results, over.fetched())))),
          "HandOver.who_lost_the_lock_changes_nothing_and_gets_the_next_job"),
      that(
          "answers the ends of a hand-over in an order of its own",
          handingOver((real, command) -> real.finishAndFetch(command)
              .map(over -> new FinishedAndFetched(reversed(over.results()), over.fetched()))),
          "HandOver.ends_of_every_kind_are_answered_in_the_order_of_the_commands"),
      that(
          "mistakes the token of another job for that of the job",
          handingOver((real, command) -> each(command.finished(), end -> real.getJob(
                      end.lock().queueName(), end.lock().jobId())
                  .compose(found -> command.finished().stream()
                          .anyMatch(other -> found.isPresent()
                              && other.lock().token().equals(found.get().lockToken()))
                      ? real.finishJob(
                              FinishJob.of(lockOf(found.orElseThrow()), end.outcome(), end.now()))
                          .mapEmpty()
                      : Future.succeededFuture()))
              .compose(ended -> real.finishAndFetch(command))),
          "HandOver.a_lock_is_not_mistaken_for_that_of_another_job_of_the_call"),
      that(
          "hands over any job",
          handingOver((real, command) -> real.finishAndFetch(
              new FinishAndFetch(command.finished(), command.fetch().with(FetchOptions.ANY)))),
          "HandOver.a_hand_over_keeps_a_rate_limit",
          "HandOver.a_hand_over_heeds_names_and_the_last_first",
          "HandOver.competing_hand_overs_keep_the_limit_of_each_group"),
      that(
          "ends whatever another hand-over has ended",
          handingOver((real, command) -> real.finishAndFetch(command)
              .map(over -> new FinishedAndFetched(
                  over.results().stream()
                      .map(result -> result instanceof FinishResult.LockLost
                          ? new FinishResult.Finished(new FinishedJob(
                              new JobChange(
                                  command.finished().get(0).lock().queueName(),
                                  command.finished().get(0).lock().jobId(),
                                  JobState.COMPLETED,
                                  null,
                                  false,
                                  false),
                              List.of(),
                              null,
                              null))
                          : result)
                      .toList(),
                  over.fetched()))),
          "HandOver.of_competing_hand_overs_one_ends_the_job_and_none_gets_a_job_twice"),
      that(
          "forgets the limit of the queue",
          fetching(options -> options.withGlobalConcurrency(null)),
          "Fetch.never_more_are_active_than_the_queue_may_have",
          "Races.competing_fetches_keep_the_limit_of_the_queue"),
      that(
          "forgets the limit of groups",
          fetching(options ->
              options.groupConcurrency() == null ? options : options.withGroupConcurrency(1_000)),
          "Groups.a_group_at_its_limit_gets_nothing",
          "Races.competing_fetches_keep_the_limit_of_each_group"),
      that(
          "forgets the rate",
          fetching(options -> options.withRateLimit(null)),
          "RateLimit.the_third_hand_out_of_two_is_refused",
          "RateLimit.the_window_slides",
          "Races.competing_fetches_keep_the_rate"),
      that(
          "serves groups by priority",
          fetching(options -> options.withGroupConcurrency(null).without(Set.of())),
          "Groups.groups_are_served_in_turn",
          "Groups.an_excluded_group_is_passed_over"),
      that(
          "ignores the name asked for",
          fetching(options -> options.named(null)),
          "Fetch.only_jobs_of_the_name_asked_for_are_handed_out"),
      that(
          "hands the first in out first, always",
          fetching(options -> new FetchOptions(
              false,
              options.jobName(),
              options.groupConcurrency(),
              options.excludeGroups(),
              options.rateLimit(),
              options.globalConcurrency())),
          "Fetch.the_last_in_is_the_first_out_where_asked"),
      that(
          "hands out one more than asked",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
              return real.fetchNextJobs(command.upTo(command.limit() + 1));
            }
          },
          "Fetch.never_more_than_the_limit_and_no_fewer_than_there_are",
          "Checks.malformed_fetches_are_refused"),
      that(
          "reads logs with every fetch",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
              return real.fetchNextJobs(command).compose(jobs -> Future.join(jobs.stream()
                      .map(job -> real.getJob(job.queueName(), job.id()))
                      .toList())
                  .map(all -> all.<Optional<JobData>>list().stream()
                      .map(Optional::orElseThrow)
                      .toList()));
            }
          },
          "Logs.what_is_kept_beside_the_row_is_not_fetched_with_it"),
      that(
          "extends locks whoever asks",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<LockStatus>> extendLocks(
                List<JobLock> locks, Duration duration, Instant now) {
              return each(
                      locks, lock -> real.extendLock(lock.queueName(), lock.jobId(), duration, now)
                          .mapEmpty())
                  .map(Collections.nCopies(locks.size(), LockStatus.HELD));
            }
          },
          "Locks.locks_are_extended_under_their_tokens_alone",
          "Locks.a_lock_never_gets_shorter",
          "Locks.a_renewal_tells_of_a_cancellation"),
      that(
          "releases locks whoever asks",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Boolean> releaseLock(JobLock lock) {
              return real.releaseLock(lock.queueName(), lock.jobId()).map(true);
            }
          },
          "Locks.a_released_lock_is_released_by_its_holder_alone",
          "Locks.who_lost_a_job_changes_nothing_of_it"),
      that(
          "ends jobs whoever asks",
          finishing((real, command) -> real.getJob(
                  command.lock().queueName(), command.lock().jobId())
              .compose(job -> real.finishJob(new FinishJob(
                  job.map(BrokenJobStores::lockOf).orElse(command.lock()),
                  command.outcome(),
                  command.next(),
                  command.now())))),
          "Locks.who_lost_a_job_changes_nothing_of_it"),
      that(
          "lets a renewed lock stall",
          finishing((real, command) -> command.outcome() instanceof JobOutcome.Stalled
              ? real.finishJob(new FinishJob(
                  command.lock(),
                  command.outcome(),
                  command.next(),
                  command.now().plusSeconds(900)))
              : real.finishJob(command)),
          "Locks.a_renewed_lock_does_not_stall"),
      that(
          "ends a series with a failure",
          finishing((real, command) -> real.finishJob(new FinishJob(
              command.lock(),
              command.outcome(),
              command.outcome() instanceof JobOutcome.Completed ? command.next() : null,
              command.now()))),
          "Series.the_next_of_a_series_is_stored_when_one_completes_or_fails",
          "Series.a_series_goes_on_when_a_job_is_lost_for_good"),
      that(
          "carries a series on although the job is lost",
          finishing((real, command) -> real.finishJob(command)
              .compose(
                  result -> command.next() == null || !(result instanceof FinishResult.LockLost)
                      ? Future.succeededFuture(result)
                      : real.saveJob(command.lock().queueName(), command.next(), command.now())
                          .map(result))),
          "Series.who_lost_a_job_does_not_carry_its_series_on"),
      that(
          "counts a snooze as a failure",
          finishing((real, command) -> command.outcome() instanceof JobOutcome.Snooze snooze
              ? real.finishJob(FinishJob.of(
                  command.lock(),
                  new JobOutcome.Retry(snooze.at(), "snoozed", null),
                  command.now()))
              : real.finishJob(command)),
          "Finish.a_snoozed_job_has_used_no_attempt",
          "Logs.how_a_hand_out_ended_is_recorded"),
      that(
          "completes a job that is to be cancelled",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Boolean> cancelJob(String queueName, String jobId, Instant now) {
              return real.getJob(queueName, jobId)
                  .map(
                      job -> job.filter(each -> each.state() == JobState.ACTIVE).isPresent());
            }
          },
          "Finish.whatever_the_outcome_a_job_that_is_to_be_cancelled_ends_so",
          "Dashboard.the_cancellation_of_a_running_job_is_noted_and_published"),
      that(
          "ends all of a call together",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
              return real.finishJobs(commands).map(BrokenJobStores::reversed);
            }
          },
          "Finish.many_jobs_end_in_one_call_each_on_its_own"),
      that(
          "cancels an open job for itself alone",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now) {
              return real.updateJob(
                      queueName,
                      jobId,
                      JobUpdate.NONE
                          .state(JobState.FAILED)
                          .failedReason("Job cancelled")
                          .failedAt(now)
                          .cancelledAt(now))
                  .map(new CancelResult.Requested());
            }
          },
          "FlowEnds.a_cancelled_child_counts_for_its_parent",
          "FlowEnds.a_cancelled_parent_counts_for_its_own_parent",
          "Cancellation.the_worker_of_a_running_job_is_told",
          "Cancellation.what_has_ended_or_is_unknown_is_left_alone"),
      that(
          "fails parents of the first level alone",
          saveFlowing(node -> node.job().childrenIds().isEmpty()
              ? node
              : new FlowNode(node.queueName(), withoutParent(node.job()))),
          "FlowEnds.a_failure_goes_up_through_all_parents_and_queues",
          "FlowEnds.a_removed_parent_counts_for_its_own_parent"),
      that(
          "knows one policy for failed children",
          saveFlowing(node -> new FlowNode(
              node.queueName(),
              withOptions(
                  node.job(),
                  node.job().options().toBuilder()
                      .failParentOnChildFailure(null)
                      .build()))),
          "FlowEnds.a_failed_child_counts_as_done_where_the_parent_says_so",
          "FlowEnds.a_parent_is_removed_with_its_failed_child_where_it_says_so"),
      that(
          "removes a child without a word",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now) {
              return real.updateJob(
                      queueName, jobId, JobUpdate.NONE.parentId(null).parentQueueName(null))
                  .compose(done -> real.removeJob(queueName, jobId, now));
            }
          },
          "FlowEnds.a_removed_child_counts_by_the_policy_of_its_parent"),
      that(
          "drains one job after the other",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobChange>> drain(String queueName, Instant now) {
              return Future.succeededFuture(List.of());
            }
          },
          "Maintenance.draining_removes_what_waits_or_is_delayed",
          "FlowEnds.drained_children_count_for_a_parent_in_another_queue"),
      that(
          "revives a failed parent with late news",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<JobState> notifyChildCompleted(
                String queueName, String parentId, Instant now) {
              return real.updateJob(
                      queueName, parentId, JobUpdate.NONE.state(JobState.WAITING_CHILDREN))
                  .compose(done -> real.notifyChildCompleted(queueName, parentId, now));
            }
          },
          "Flows.news_for_a_parent_that_does_not_wait_for_children_change_nothing"),
      that(
          "stores a flow job by job",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<String>> saveFlow(List<FlowNode> nodes, Instant now) {
              Future<List<String>> ids = Future.succeededFuture(List.of());
              for (FlowNode node : nodes) {
                ids = ids.compose(
                    before -> real.saveFlow(List.of(node), now).map(one -> joined(before, one)));
              }
              return ids;
            }
          },
          "Flows.a_flow_is_stored_whole_or_not_at_all"),
      that(
          "cleans jobs that have not ended",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> clean(
                String queueName, JobState state, Duration grace, Instant now) {
              return state.isTerminal()
                  ? real.clean(queueName, state, grace, now)
                  : real.drain(queueName, now).map(1);
            }
          },
          "Maintenance.only_ended_jobs_are_cleaned"),
      that(
          "obliterates what is running",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobChange>> obliterate(
                String queueName, Obliterate how, Instant now) {
              return real.obliterate(queueName, Obliterate.FORCED, now);
            }
          },
          "QueueWide.a_queue_with_an_active_job_is_not_obliterated"),
      that(
          "obliterates children without a word",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobChange>> obliterate(
                String queueName, Obliterate how, Instant now) {
              return real.listJobs(queueName, JobState.WAITING, 0, 10_000)
                  .compose(children -> Future.join(children.stream()
                      .map(child -> real.updateJob(
                          queueName,
                          child.id(),
                          JobUpdate.NONE.parentId(null).parentQueueName(null)))
                      .toList()))
                  .compose(done -> real.obliterate(queueName, how, now));
            }
          },
          "Races.flows_that_come_while_their_queue_is_obliterated_leave_no_parent_waiting"),
      that(
          "removes nothing by age",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
              return Future.succeededFuture(0);
            }
          },
          "Removal.jobs_past_their_age_are_removed_by_a_sweep"),
      that(
          "removes nothing as it ends",
          saving(job -> withOptions(
              job,
              job.options().toBuilder()
                  .removeOnComplete(null)
                  .removeOnFail(null)
                  .build())),
          "Removal.a_job_is_removed_as_it_ends",
          "Removal.the_last_that_ended_alike_are_kept"),
      that(
          "copies no dead letters",
          saving(job ->
              withOptions(job, job.options().toBuilder().deadLetterQueue(null).build())),
          "DeadLetters.a_job_that_fails_for_good_is_copied_with_its_reason"),
      that(
          "leaves the copy when it puts a dead letter back",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobRef>> redriveDeadLetters(
                String queueName, int limit, Instant now) {
              return real.listJobs(queueName, JobState.WAITING, 0, limit)
                  .compose(jobs -> Future.join(jobs.stream()
                          .map(job -> real.saveJob(
                                  "orders",
                                  NewJob.of(job.name(), job.data(), job.options(), now),
                                  now)
                              .map(id -> new JobRef("orders", id)))
                          .toList())
                      .map(all -> all.<JobRef>list()));
            }
          },
          "DeadLetters.dead_letters_are_put_back_oldest_first",
          "DeadLetters.competing_redrives_put_each_back_once"),
      that(
          "moves a schedule each time it is said again",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<JobSchedule> upsertSchedule(UpsertSchedule command) {
              return real.removeSchedule(command.queueName(), command.key())
                  .compose(gone -> real.upsertSchedule(command));
            }
          },
          "Series.saying_the_same_again_neither_doubles_nor_moves_a_fire"),
      that(
          "fires whenever it is asked to",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
              return real.saveJobs(command.queueName(), List.of(command.job()), command.now())
                  .map(saved -> Optional.of(saved.get(0)));
            }
          },
          "Series.a_fire_that_is_not_the_next_does_nothing",
          "Series.of_competing_fires_one_stores_a_job",
          "Series.a_fire_stores_its_job_and_moves_the_schedule_on"),
      that(
          "fires a schedule by what it said when it was listed",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
              return real.getSchedule(command.queueName(), command.key())
                  .compose(stored -> super.fireSchedule(new FireSchedule(
                      command.queueName(),
                      command.key(),
                      command.dueAt(),
                      stored.map(JobSchedule::repeat).orElse(command.repeat()),
                      command.job(),
                      command.nextAt(),
                      command.now())));
            }
          },
          "Series.a_schedule_that_was_changed_while_it_was_due_goes_on_as_it_was_said_last"),
      that(
          "keeps logs without end",
          real -> new ForwardingJobStore(real) {
            private final List<String> all = new ArrayList<>();

            @Override
            public Future<Boolean> appendLog(String queueName, String jobId, String line) {
              all.add(line);
              return real.appendLog(queueName, jobId, line);
            }

            @Override
            public Future<Void> updateJob(String queueName, String jobId, JobUpdate updates) {
              if (updates.get(JobUpdate.Field.LOGS) instanceof List<?> lines) {
                lines.forEach(line -> all.add((String) line));
              }
              return real.updateJob(queueName, jobId, updates);
            }

            @Override
            public Future<Optional<JobData>> getJob(String queueName, String jobId) {
              return real.getJob(queueName, jobId)
                  .map(job -> job.map(each -> each.toBuilder().logs(all).build()));
            }
          },
          "Logs.only_the_last_thousand_lines_are_kept"),
      that(
          "shows the lines of a job that was removed with a later one of its id",
          real -> new ForwardingJobStore(real) {
            private final Map<String, List<String>> left = new HashMap<>(); // by id

            @Override
            public Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now) {
              return real.getLogs(queueName, jobId, 0, JobData.MOST_LOG_LINES).compose(lines -> {
                left.put(jobId, lines);
                return real.removeJob(queueName, jobId, now);
              });
            }

            @Override
            public Future<List<String>> getLogs(
                String queueName, String jobId, int start, int end) {
              return real.getLogs(queueName, jobId, start, end).map(lines -> Stream.concat(
                      left.getOrDefault(jobId, List.of()).stream(), lines.stream())
                  .toList());
            }
          },
          "Logs.a_job_of_an_id_that_another_had_begins_with_nothing_of_that_one"),
      that(
          "lets anybody speak for a hand-out",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Boolean> updateJob(JobLock lock, JobUpdate updates) {
              return real.updateJob(lock.queueName(), lock.jobId(), updates).map(true);
            }

            @Override
            public Future<Boolean> appendLog(JobLock lock, String line) {
              return real.appendLog(lock.queueName(), lock.jobId(), line);
            }
          },
          "Locks.what_somebody_says_who_lost_the_lock_is_dropped"),
      that(
          "lets nobody speak for a hand-out",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Boolean> updateJob(JobLock lock, JobUpdate updates) {
              return Future.succeededFuture(false);
            }
          },
          "Locks.what_the_holder_of_a_lock_says_is_written"),
      that(
          "forgets that a job had completed",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> retryJobs(String queueName, JobState state) {
              return real.listJobs(queueName, state, 0, 100)
                  .compose(jobs -> real.retryJobs(queueName, state).compose(count -> each(
                          jobs,
                          job -> real.updateJob(
                              queueName, job.id(), JobUpdate.NONE.attemptLogs(List.of())))
                      .map(count)));
            }
          },
          "Logs.the_hand_outs_of_a_completed_job_that_is_tried_again_stay",
          "Logs.a_completion_drops_the_oldest_hand_out_like_any_other"),
      that(
          "forgets a window too early",
          real -> new ForwardingJobStore(real) {
            private Instant last = Instant.MIN;

            @Override
            public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
              boolean late = command.now().isBefore(last);
              last = late ? last : command.now();
              return real.fetchNextJobs(
                  late ? command.with(command.options().withRateLimit(null)) : command);
            }
          },
          "RateLimit.a_fetch_that_comes_late_counts_what_others_got_meanwhile"),
      that(
          "records no hand-outs",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<AttemptRecord>> listAttempts(String queueName, String jobId) {
              return Future.succeededFuture(List.of());
            }
          },
          "Logs.each_hand_out_is_recorded_with_its_lines",
          "Locks.of_competing_ends_one_succeeds"),
      that(
          "calls listeners in the background",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Void> publishAll(List<StoreEvent> events) {
              return Future.succeededFuture();
            }

            @Override
            public Future<Void> publish(StoreEvent event) {
              return Future.succeededFuture();
            }
          },
          "Events.a_listener_has_heard_when_publishing_is_done",
          "Events.several_events_are_heard_in_their_order_whatever_their_size"),
      that(
          "stops telling events at a listener that throws",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Void> publish(StoreEvent event) {
              return real.publish(event)
                  .compose(done -> Future.failedFuture(new IllegalStateException("listener")));
            }
          },
          "Events.a_listener_that_throws_is_reported_and_stops_nobody"),
      that(
          "keeps listeners that left",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
              return Future.succeededFuture();
            }

            @Override
            public Future<Void> unsubscribe(String queueName) {
              return Future.succeededFuture();
            }
          },
          "Events.one_listener_leaves_and_the_other_stays",
          "Events.nobody_hears_after_the_queue_was_unsubscribed"),
      that(
          "takes signs of patterns for patterns",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobData>> searchByName(
                String query, Optional<String> queueName, int limit) {
              return real.searchByName(query.replace("%", "").replace("_", ""), queueName, limit);
            }
          },
          "Search.signs_of_patterns_stand_for_themselves"),
      that(
          "searches in one case",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobData>> searchByPayload(
                String queueName, String query, int limit) {
              return query.equals(query.toUpperCase(Locale.ROOT))
                  ? Future.succeededFuture(List.of())
                  : real.searchByPayload(queueName, query, limit);
            }
          },
          "Search.a_part_of_the_payload_in_any_case_is_enough"),
      that(
          "lists the oldest end first",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobData>> listJobs(
                String queueName, JobState state, int start, int end) {
              return real.listJobs(queueName, state, start, end).map(BrokenJobStores::reversed);
            }
          },
          "Maintenance.ended_jobs_are_listed_last_end_first",
          "Maintenance.jobs_are_listed_page_by_page"),
      that(
          "promotes what is not due",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
              return real.promoteJobs(queueName);
            }
          },
          "Delay.a_job_that_is_not_due_stays_delayed"),
      that(
          "resumes everything at once",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Void> resumeJobName(String queueName, String jobName) {
              return real.resumeJobName(queueName, jobName)
                  .compose(done -> real.resumeJobName(queueName, JobStore.ALL));
            }
          },
          "Pause.pauses_are_a_set_and_resuming_takes_back_one"),
      that(
          "leaves a cancelled job cancelled when it is tried again",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> retryJobs(String queueName, JobState state) {
              return real.listJobs(queueName, state, 0, 100).compose(jobs -> each(
                      jobs,
                      job -> real.updateJob(
                          queueName, job.id(), JobUpdate.NONE.state(JobState.WAITING)))
                  .map(jobs.size()));
            }
          },
          "QueueWide.a_cancelled_job_that_is_tried_again_is_not_cancelled_again",
          "QueueWide.failed_jobs_are_tried_again_from_the_beginning",
          "QueueWide.other_jobs_are_not_tried_again"),
      that(
          "adds minutes up again and again",
          real -> new ForwardingJobStore(real) {
            private int aggregations;

            @Override
            public Future<Void> aggregateMetrics(Instant now) {
              aggregations++;
              return real.aggregateMetrics(now);
            }

            @Override
            public Future<List<MetricsBucket>> getMetrics(MetricsQuery query) {
              return real.getMetrics(query)
                  .map(all -> aggregations < 2
                      ? all
                      : all.stream().map(BrokenJobStores::doubled).toList());
            }
          },
          "Metrics.adding_up_again_counts_nothing_twice"),
      that(
          "serves groups by their oldest jobs",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
              return real.fetchNextJobs(
                  command.options().isGrouped() ? command.with(FetchOptions.ANY) : command);
            }
          },
          "Groups.a_group_keeps_its_turn_while_it_has_no_jobs"),
      that(
          "serves the last groups first",
          fetching(options -> options.isGrouped() ? options.lastFirst() : options),
          "Groups.groups_that_were_never_served_come_in_the_order_of_the_jobs_that_are_left"),
      that(
          "lets a kept child remove its parent",
          finishing((real, command) -> real.finishJob(command).compose(result -> {
            List<JobChange> above = result instanceof FinishResult.Finished finished
                ? finished.change().ancestors()
                : List.of();
            return each(above, parent -> real.removeJob(
                        parent.queueName(), parent.jobId(), command.now())
                    .mapEmpty())
                .map(result);
          })),
          "Removal.a_child_that_keeps_one_job_does_not_remove_its_parent",
          "Removal.a_parent_that_keeps_one_job_keeps_itself_and_not_its_child"),
      that(
          "keeps by the clock alone",
          finishing((real, command) -> real.getJob(
                  command.lock().queueName(), command.lock().jobId())
              .compose(before -> real.listJobs(command.lock().queueName(), JobState.FAILED, 0, 100)
                  .compose(failed -> real.finishJob(command).compose(result -> {
                    boolean late = failed.stream()
                        .anyMatch(each ->
                            each.failedAt() != null && each.failedAt().isAfter(command.now()));
                    return late
                        ? real.removeJob(
                                command.lock().queueName(), command.lock().jobId(), command.now())
                            .map(result)
                        : Future.succeededFuture(result);
                  })))),
          "Removal.a_job_that_keeps_one_keeps_itself_whatever_the_clock_says"),
      that(
          "moves a job that another of its call replaces",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<SavedJob>> saveJobs(
                String queueName, List<NewJob> jobs, Instant now) {
              return real.saveJobs(
                  queueName,
                  jobs.stream().map(job -> placedAsTheLast(job, jobs)).toList(),
                  now);
            }

            private NewJob placedAsTheLast(NewJob job, List<NewJob> jobs) {
              NewJob last = jobs.stream()
                  .filter(each -> job.deduplicationKey() != null
                      && job.deduplicationKey().equals(each.deduplicationKey()))
                  .reduce(job, (first, second) -> second);
              return withOptions(
                  job, job.options().toBuilder().lifo(last.options().lifo()).build());
            }
          },
          "Deduplication.a_job_that_is_replaced_in_its_own_call_keeps_its_place"),
      that(
          "forgets the key of a job whose time with it is over",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Void> updateJob(String queueName, String jobId, JobUpdate updates) {
              return real.updateJob(queueName, jobId, updates.deduplicationKey(null));
            }
          },
          "Deduplication.a_job_whose_key_has_run_out_still_says_which_it_was"),
      that(
          "gives a key to the first to end of those that come back",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> retryJobs(String queueName, JobState state) {
              return real.listJobs(queueName, state, 0, 100).compose(jobs -> {
                Future<Void> put = Future.succeededFuture();
                for (JobData job : reversed(jobs)) {
                  put = put.compose(before ->
                      real.updateJob(queueName, job.id(), JobUpdate.NONE.state(JobState.WAITING)));
                }
                return put.map(jobs.size());
              });
            }
          },
          "Deduplication.of_jobs_that_come_back_together_the_last_to_end_takes_the_key"),
      that(
          "promotes by due times alone",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Integer> promoteJobs(String queueName) {
              return real.promoteDelayedJobs(queueName, Instant.parse("9000-01-01T00:00:00Z"));
            }
          },
          "Delay.a_delayed_job_without_a_due_time_is_promoted_with_all_others"),
      that(
          "keeps lines apart from hand-outs",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Void> updateJob(String queueName, String jobId, JobUpdate updates) {
              return updates.get(JobUpdate.Field.LOGS) instanceof List<?>
                  ? Future.succeededFuture()
                  : real.updateJob(queueName, jobId, updates);
            }
          },
          "Logs.lines_that_an_update_gives_are_those_of_the_present_hand_out"),
      that(
          "calls a queue paused when a name is",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<QueueInfo>> listQueues() {
              return real.listQueues().map(all -> all.stream()
                  .map(each -> new QueueInfo(
                      each.name(), each.counts(), true, List.of(), each.latestActivity(), 0))
                  .toList());
            }
          },
          "Dashboard.a_paused_queue_is_listed_as_such",
          "Dashboard.jobs_that_repeat_are_counted"));

  private BrokenJobStores() {}

  private static UnaryOperator<JobStore> saving(UnaryOperator<NewJob> how) {
    return real -> new ForwardingJobStore(real) {
      @Override
      public Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> jobs, Instant now) {
        return real.saveJobs(queueName, jobs.stream().map(how).toList(), now);
      }
    };
  }

  private static UnaryOperator<JobStore> saveFlowing(UnaryOperator<FlowNode> how) {
    return real -> new ForwardingJobStore(real) {
      @Override
      public Future<List<String>> saveFlow(List<FlowNode> nodes, Instant now) {
        return real.saveFlow(nodes.stream().map(how).toList(), now);
      }
    };
  }

  private static UnaryOperator<JobStore> fetching(UnaryOperator<FetchOptions> how) {
    return real -> new ForwardingJobStore(real) {
      @Override
      public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
        return real.fetchNextJobs(command.with(how.apply(command.options())));
      }
    };
  }

  private static UnaryOperator<JobStore> finishing(Finishing how) {
    return real -> new ForwardingJobStore(real) {
      @Override
      public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
        return Future.join(
                commands.stream().map(command -> how.finish(real, command)).toList())
            .map(all -> all.list());
      }
    };
  }

  private static UnaryOperator<JobStore> handingOver(
      BiFunction<JobStore, FinishAndFetch, Future<FinishedAndFetched>> how) {
    return real -> new ForwardingJobStore(real) {
      @Override
      public Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
        return how.apply(real, command);
      }
    };
  }

  private interface Finishing {
    Future<FinishResult> finish(JobStore real, FinishJob command);
  }

  private static <T> Future<Void> each(List<T> all, Function<T, Future<Void>> how) {
    return all.isEmpty()
        ? Future.succeededFuture()
        : Future.join(all.stream().map(how).toList()).mapEmpty();
  }

  private static JobLock lockOf(JobData job) {
    return new JobLock(
        job.queueName(), job.id(), job.lockToken() == null ? "none" : job.lockToken());
  }

  private static MetricsBucket doubled(MetricsBucket bucket) {
    return new MetricsBucket(
        bucket.queueName(),
        bucket.jobName(),
        bucket.periodStart(),
        bucket.granularity(),
        2 * bucket.completedCount(),
        bucket.failedCount(),
        bucket.totalProcessMillis(),
        bucket.minProcessMillis(),
        bucket.maxProcessMillis());
  }

  private static <T> List<T> joined(List<T> before, List<T> after) {
    List<T> all = new ArrayList<>(before);
    all.addAll(after);
    return all;
  }

  private static <T> List<T> reversed(List<T> all) {
    List<T> reversed = new ArrayList<>(all);
    Collections.reverse(reversed);
    return reversed;
  }

  private static NewJob withData(NewJob job, String text) {
    return job.toBuilder().data(Json.ofChecked(text)).build();
  }

  private static NewJob withOptions(NewJob job, JobOptions options) {
    return job.toBuilder().options(options).build();
  }

  private static NewJob withDeduplication(NewJob job, JobDeduplication deduplication) {
    return withOptions(
        job, job.options().toBuilder().deduplication(deduplication).build());
  }

  private static NewJob withKey(NewJob job, String key) {
    return job.toBuilder().deduplicationKey(key).build();
  }

  private static NewJob withoutParent(NewJob job) {
    return job.toBuilder().parentId(null).parentQueueName(null).build();
  }
}
