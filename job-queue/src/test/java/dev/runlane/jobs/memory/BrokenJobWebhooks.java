package dev.runlane.jobs.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Given;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Job stores that keep ends for webhooks wrongly. */
final class BrokenJobWebhooks {
  static final List<BrokenAdapter<JobStore>> ALL = List.of(
      that(
          "tells webhooks of completions alone",
          registering(filter ->
              new JobEndFilter(Set.of(JobState.COMPLETED), filter.queueNames(), filter.names())),
          "Webhooks.a_delivery_says_what_ended_and_how",
          "Webhooks.whatever_ends_a_job_its_end_has_a_delivery",
          "Webhooks.a_parent_that_fails_with_its_child_has_ended_too",
          "Webhooks.only_ends_that_fit_have_a_delivery"),
      that(
          "tells every webhook of every end",
          registering(filter -> JobEndFilter.ALL),
          "Webhooks.only_ends_that_fit_have_a_delivery",
          "Webhooks.a_webhook_that_is_registered_again_with_another_filter_has_that",
          "Webhooks.malformed_commands_are_refused"),
      that(
          "forgets the ends of jobs that are gone",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            @Override
            public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
              return super.claimDeliveries(command).compose(claimed -> present(real, claimed));
            }
          }),
          "Webhooks.a_job_that_is_removed_as_it_ends_has_ended",
          "Webhooks.jobs_of_a_flow_that_remove_each_other_as_they_end_have_ended",
          "Webhooks.each_webhook_has_its_own_delivery_and_a_job_that_is_gone_keeps_its_own"),
      that(
          "takes a removal for an end",
          real -> new ForwardingJobStore(real) {
            @Override
            public Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now) {
              return failJob(queueName, jobId, "removed", now)
                  .compose(failed -> super.removeJob(queueName, jobId, now));
            }
          },
          "Webhooks.what_goes_on_or_is_removed_has_no_delivery"),
      that(
          "tells of each job once",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            private final Map<JobRef, String> told = new HashMap<>();

            @Override
            public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
              return super.claimDeliveries(command).map(claimed -> claimed.stream()
                  .filter(each -> {
                    String before = told.putIfAbsent(each.job(), each.id());
                    return before == null || before.equals(each.id());
                  })
                  .toList());
            }
          }),
          "Webhooks.a_job_that_ends_again_has_another_delivery"),
      that(
          "makes up ends of before",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            @Override
            public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
              return super.claimDeliveries(command)
                  .map(claimed -> claimed.isEmpty() && !command.webhookIds().isEmpty()
                      ? List.of(new JobDelivery(
                          "before",
                          command.webhookIds().get(0),
                          new JobRef("orders", "before"),
                          "a",
                          JobState.COMPLETED,
                          Given.NOON,
                          Given.NOON,
                          0,
                          false,
                          1))
                      : claimed);
            }
          }),
          "Webhooks.what_ended_before_a_webhook_was_registered_has_no_delivery"),
      that(
          "claims deliveries for a moment only, and as many as there are",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            @Override
            public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
              return super.claimDeliveries(new ClaimJobDeliveries(
                  command.webhookIds(), command.token(), command.now(), Duration.ofMillis(1), 100));
            }
          }),
          "Webhooks.a_delivery_is_given_to_one_until_its_claim_ends",
          "Webhooks.those_that_are_due_longest_are_claimed_first_and_no_more_than_wanted"),
      that(
          "gives deliveries to everybody who asks",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            private final Map<String, JobDelivery> known = new TreeMap<>();

            @Override
            public synchronized Future<List<JobDelivery>> claimDeliveries(
                ClaimJobDeliveries command) {
              return super.claimDeliveries(command).map(claimed -> {
                claimed.forEach(each -> known.putIfAbsent(each.id(), each));
                return List.copyOf(known.values());
              });
            }
          }),
          "Webhooks.of_many_that_claim_at_once_each_delivery_goes_to_one",
          "Webhooks.each_webhook_has_its_own_delivery_and_a_job_that_is_gone_keeps_its_own"),
      that(
          "forgets what failed",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            @Override
            public Future<Void> finishDeliveries(FinishJobDeliveries command) {
              return super.finishDeliveries(new FinishJobDeliveries(
                  command.token(),
                  command.outcomes().stream()
                      .map(each -> new FinishJobDeliveries.Outcome(each.deliveryId(), null))
                      .toList()));
            }
          }),
          "Webhooks.a_delivery_that_is_done_with_is_gone_and_one_that_failed_is_due_again"),
      that(
          "believes whoever says that it is done",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            private final Set<String> finished = new HashSet<>();

            @Override
            public Future<Void> finishDeliveries(FinishJobDeliveries command) {
              command.outcomes().forEach(each -> finished.add(each.deliveryId()));
              return super.finishDeliveries(command);
            }

            @Override
            public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
              return super.claimDeliveries(command).map(claimed -> claimed.stream()
                  .filter(each -> !finished.contains(each.id()))
                  .toList());
            }
          }),
          "Webhooks.who_lost_the_claim_changes_nothing"),
      that(
          "remembers webhooks for ever",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            @Override
            public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
              return super.registerWebhooks(
                  new RegisterJobWebhooks(command.webhooks(), Given.NEXT_YEAR));
            }
          }),
          "Webhooks.a_webhook_that_nobody_registers_any_more_gets_nothing_and_is_forgotten"),
      that(
          "lets a clock that is behind shorten the life of a webhook",
          real -> webhooks(real, desk -> new Forwarding(desk) {
            @Override
            public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
              return super.registerWebhooks(new RegisterJobWebhooks(
                  command.webhooks(), command.now().minus(Duration.ofDays(6))));
            }
          }),
          "Webhooks.a_process_whose_clock_is_behind_takes_no_time_from_a_webhook"));

  private BrokenJobWebhooks() {}

  private static UnaryOperator<JobStore> registering(UnaryOperator<JobEndFilter> misread) {
    return real -> webhooks(real, desk -> new Forwarding(desk) {
      @Override
      public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
        Map<String, JobEndFilter> misunderstood = new TreeMap<>();
        command.webhooks().forEach((id, filter) -> misunderstood.put(id, misread.apply(filter)));
        return super.registerWebhooks(new RegisterJobWebhooks(misunderstood, command.now()));
      }
    });
  }

  static JobStore webhooks(JobStore real, Function<JobWebhookStore, JobWebhookStore> breaking) {
    JobWebhookStore broken = breaking.apply(real.webhooks().orElseThrow());
    return new ForwardingJobStore(real) {
      @Override
      public Optional<JobWebhookStore> webhooks() {
        return Optional.of(broken);
      }
    };
  }

  private static Future<List<JobDelivery>> present(JobStore real, List<JobDelivery> claimed) {
    List<JobDelivery> present = new ArrayList<>();
    Future<Void> looked = Future.succeededFuture();
    for (JobDelivery each : claimed) {
      looked = looked
          .compose(before -> real.getJob(each.job().queueName(), each.job().jobId()))
          .map(job -> {
            job.ifPresent(there -> present.add(each));
            return null;
          });
    }
    return looked.map(present);
  }

  static class Forwarding implements JobWebhookStore {
    private final JobWebhookStore real;

    Forwarding(JobWebhookStore real) {
      this.real = real;
    }

    @Override
    public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
      return real.registerWebhooks(command);
    }

    @Override
    public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
      return real.claimDeliveries(command);
    }

    @Override
    public Future<Void> finishDeliveries(FinishJobDeliveries command) {
      return real.finishDeliveries(command);
    }
  }
}
