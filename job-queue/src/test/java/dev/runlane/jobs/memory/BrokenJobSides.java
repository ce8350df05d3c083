package dev.runlane.jobs.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Job stores that confuse queues, workers and windows with each other, or miss a boundary. */
final class BrokenJobSides {
  private static final Duration MILLI = Duration.ofMillis(1);
  private static final String EVERY_QUEUE = "all";

  static final List<BrokenAdapter<JobStore>> ALL = List.of(
      that(
          "has a parent hear of whoever names it",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<String>> saveFlow(List<FlowNode> nodes, Instant now) {
              return real.saveFlow(
                  nodes.stream()
                      .map(node -> new FlowNode(
                          node.queueName(),
                          node.job().toBuilder().childrenIds(List.of()).build()))
                      .toList(),
                  now);
            }
          },
          "FlowEnds.a_child_of_an_earlier_flow_does_not_count_for_a_parent_that_has_the_id_anew"),
      that(
          "counts what failed before a job was replaced",
          real -> new Rewriting(real) {
            @Override
            public Future<List<SavedJob>> saveJobs(
                String queueName, List<NewJob> jobs, Instant now) {
              return real.listJobs(queueName, JobState.WAITING, 0, 100)
                  .compose(before -> real.saveJobs(queueName, jobs, now).compose(saved -> again(
                          before,
                          job -> saved.stream()
                              .anyMatch(each -> each.id().equals(job.id())
                                  && each.outcome() == SavedJob.Outcome.REPLACED),
                          job -> JobUpdate.NONE.attemptsMade(job.attemptsMade()))
                      .map(saved)));
            }
          },
          "Deduplication.a_replacing_job_has_all_its_attempts",
          "Deduplication.a_debouncing_job_has_all_its_attempts"),
      that(
          "puts jobs back as discarded as they were",
          real -> new Rewriting(real) {
            @Override
            public Future<Integer> retryJobs(String queueName, JobState state) {
              return real.listJobs(queueName, state, 0, 100)
                  .compose(before -> real.retryJobs(queueName, state).compose(count -> again(
                          before, JobData::discarded, job -> JobUpdate.NONE.discarded(true))
                      .map(count)));
            }
          },
          "Finish.a_job_that_was_discarded_and_is_put_back_is_tried_again"),
      that(
          "unsubscribes all queues with one",
          real -> new Listened(real) {
            @Override
            public Future<Void> unsubscribe(String queueName) {
              return Future.join(heard.stream().map(super::unsubscribe).toList())
                  .mapEmpty();
            }
          },
          "Events.who_unsubscribes_one_queue_still_hears_the_others"),
      that(
          "takes a listener from all queues that leaves one",
          real -> new Listened(real) {
            @Override
            public Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener) {
              return Future.join(heard.stream()
                      .map(each -> super.unsubscribe(each, listener))
                      .toList())
                  .mapEmpty();
            }
          },
          "Events.a_listener_that_leaves_one_queue_still_hears_the_others"),
      that(
          "keeps listeners when it is disconnected",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<Void> disconnect() {
              return Future.succeededFuture();
            }
          },
          "Events.nobody_hears_after_the_store_was_disconnected"),
      that(
          "takes listeners later than they come",
          real -> new ForwardingJobStore(real) {
            private Future<Void> before = Future.succeededFuture();
            private final List<Runnable> later = new ArrayList<>();

            @Override
            public Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
              later.add(() -> before = delegate.subscribe(queueName, listener));
              return before;
            }

            @Override
            public Future<Void> publish(StoreEvent event) {
              return super.publish(event).onComplete(done -> {
                later.forEach(Runnable::run);
                later.clear();
              });
            }
          },
          "Events.a_listener_comes_and_leaves_with_the_call"),
      that(
          "tells events queue by queue",
          publishing(events -> events.stream()
              .sorted(Comparator.comparing(StoreEvent::queueName))
              .toList()),
          "Events.events_of_several_queues_are_heard_in_their_order_each_as_often_as_it_is_published"),
      that(
          "tells events in the order of their times",
          publishing(events -> events.stream()
              .sorted(Comparator.comparing(StoreEvent::timestamp))
              .toList()),
          "Events.events_of_several_queues_are_heard_in_their_order_each_as_often_as_it_is_published"),
      that(
          "tells the same event once",
          publishing(events -> events.stream().distinct().toList()),
          "Events.events_of_several_queues_are_heard_in_their_order_each_as_often_as_it_is_published"),
      that(
          "gives each worker a window of its own",
          limiting((command, limit) -> List.of(command.queueName(), command.workerId())),
          "RateLimit.the_window_is_one_for_all_workers_and_each_queue_has_its_own"),
      that(
          "gives all queues one window",
          limiting((command, limit) -> EVERY_QUEUE),
          "RateLimit.the_window_is_one_for_all_workers_and_each_queue_has_its_own"),
      that(
          "counts hand-outs of its own limit alone",
          limiting((command, limit) -> List.of(command.queueName(), limit)),
          "RateLimit.a_longer_window_counts_what_was_handed_out_within_a_shorter_one",
          "RateLimit.a_shorter_window_counts_what_was_handed_out_within_a_longer_one"),
      that(
          "forgets hand-outs that no longer count for the latest fetch",
          real -> new Limiting(real, (command, limit) -> command.queueName(), true),
          "RateLimit.a_longer_window_counts_what_was_handed_out_within_a_shorter_one"),
      that(
          "removes the schedule of another queue with the same key",
          real -> new Scheduled(real) {
            @Override
            public Future<Boolean> removeSchedule(String queueName, String key) {
              return Future.join(queues.stream()
                      .map(each -> super.removeSchedule(each, key))
                      .toList())
                  .map(true);
            }
          },
          "Series.schedules_of_two_queues_with_one_key_are_two"),
      that(
          "moves the schedule of another queue with the same key on",
          real -> new Scheduled(real) {
            @Override
            public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
              return super.fireSchedule(command).compose(fired -> Future.join(queues.stream()
                      .filter(each -> !each.equals(command.queueName()))
                      .map(each -> movedOn(each, command))
                      .toList())
                  .map(fired));
            }

            private Future<Void> movedOn(String queueName, FireSchedule command) {
              return super.getSchedule(queueName, command.key())
                  .compose(there ->
                      there.flatMap(each -> Optional.ofNullable(each.nextAt())).isEmpty()
                          ? Future.succeededFuture()
                          : super.fireSchedule(new FireSchedule(
                                  queueName,
                                  command.key(),
                                  there.get().nextAt(),
                                  there.get().repeat(),
                                  command.job(),
                                  command.nextAt(),
                                  command.now()))
                              .mapEmpty());
            }
          },
          "Series.schedules_of_two_queues_with_one_key_are_two"),
      that(
          "removes buckets at the very end of their retention",
          aggregating(now -> now.plus(MILLI)),
          "Metrics.buckets_are_kept_until_their_very_retention_is_over"),
      that(
          "keeps buckets a millisecond longer than their retention",
          aggregating(now -> now.minus(MILLI)),
          "Metrics.buckets_are_kept_until_their_very_retention_is_over"));

  private BrokenJobSides() {}

  private static UnaryOperator<JobStore> publishing(UnaryOperator<List<StoreEvent>> altering) {
    return real -> new ForwardingJobStore(real) {
      @Override
      public Future<Void> publishAll(List<StoreEvent> events) {
        return super.publishAll(altering.apply(events));
      }
    };
  }

  private static UnaryOperator<JobStore> limiting(Scope scope) {
    return real -> new Limiting(real, scope, false);
  }

  private static UnaryOperator<JobStore> aggregating(UnaryOperator<Instant> altering) {
    return real -> new ForwardingJobStore(real) {
      @Override
      public Future<Void> aggregateMetrics(Instant now) {
        return super.aggregateMetrics(altering.apply(now));
      }
    };
  }

  /** Knows which queues anybody listens to. */
  private abstract static class Listened extends ForwardingJobStore {
    final Set<String> heard = new HashSet<>();

    Listened(JobStore real) {
      super(real);
    }

    @Override
    public Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener) {
      heard.add(queueName);
      return super.subscribe(queueName, listener);
    }
  }

  /** Knows which queues have schedules. */
  private abstract static class Scheduled extends ForwardingJobStore {
    final Set<String> queues = new HashSet<>();

    Scheduled(JobStore real) {
      super(real);
    }

    @Override
    public Future<JobSchedule> upsertSchedule(UpsertSchedule command) {
      queues.add(command.queueName());
      return super.upsertSchedule(command);
    }
  }

  /** What shares a window. */
  private interface Scope {
    Object of(FetchJobs command, RateLimit limit);
  }

  /** Writes again what jobs had before. */
  private static class Rewriting extends ForwardingJobStore {
    Rewriting(JobStore real) {
      super(real);
    }

    final Future<?> again(
        List<JobData> before, Predicate<JobData> which, Function<JobData, JobUpdate> update) {
      List<Future<Void>> written = before.stream()
          .filter(which)
          .map(job -> delegate.updateJob(job.queueName(), job.id(), update.apply(job)))
          .toList();
      return written.isEmpty() ? Future.succeededFuture() : Future.join(written);
    }
  }

  /** Counts hand-outs itself, and lets the real store count none. */
  private static final class Limiting extends ForwardingJobStore {
    private final Map<Object, List<Instant>> handedOut = new HashMap<>();
    private final Scope scope;
    private final boolean forgets;

    Limiting(JobStore real, Scope scope, boolean forgets) {
      super(real);
      this.scope = scope;
      this.forgets = forgets;
    }

    @Override
    public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
      RateLimit limit = command.options().rateLimit();
      if (limit == null) {
        return super.fetchNextJobs(command);
      }
      List<Instant> times =
          handedOut.computeIfAbsent(scope.of(command, limit), each -> new ArrayList<>());
      Instant begin = command.now().minus(limit.duration());
      if (forgets) {
        times.removeIf(each -> !each.isAfter(begin));
      }
      long left = limit.max() - times.stream().filter(begin::isBefore).count();
      if (left <= 0) {
        return Future.succeededFuture(List.of());
      }
      return super.fetchNextJobs(
              command.with(command.options().withRateLimit(null)).upTo((int)
                  Math.min(left, command.limit())))
          .map(jobs -> {
            jobs.forEach(each -> times.add(command.now()));
            return jobs;
          });
    }
  }
}
