package dev.runlane.jobs.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Given;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.memory.BrokenJobWebhooks.Forwarding;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries.Outcome;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Job stores that keep ends for webhooks wrongly, by a little: for the model; some are noticed by other cases too. */
final class SubtleWebhookFaults {
  private static final Duration MILLI = Duration.ofMillis(1);
  private static final JobEndFilter NOTHING =
      new JobEndFilter(Set.of(), List.of("a queue of nobody"), List.of());

  static final List<BrokenAdapter<JobStore>> ALL = List.of(
      claiming(
          "gives one delivery more than wanted",
          command -> claim(command, command.claimFor(), command.limit() + 1),
          "Webhooks.those_that_are_due_longest_are_claimed_first_and_no_more_than_wanted"),
      claiming(
          "holds claims for a millisecond longer",
          command -> claim(command, command.claimFor().plus(MILLI), command.limit()),
          "Webhooks.a_delivery_is_due_at_its_very_time"),
      claiming(
          "gives deliveries a millisecond early",
          command -> new ClaimJobDeliveries(
              command.webhookIds(),
              command.token(),
              command.now().plus(MILLI),
              command.claimFor().compareTo(MILLI) > 0 ? command.claimFor().minus(MILLI) : MILLI,
              command.limit()),
          "Webhooks.a_delivery_is_due_at_its_very_time"),
      claiming(
          "gives no delivery at the very time at which it is due",
          command -> new ClaimJobDeliveries(
              command.webhookIds(),
              command.token(),
              command.now().minus(MILLI),
              command.claimFor().plus(MILLI),
              command.limit()),
          "Webhooks.a_delivery_is_due_at_its_very_time"),
      claiming(
          "gives what all webhooks are owed to who asks for many of them",
          command -> command.webhookIds().size() > 2
              ? new ClaimJobDeliveries(
                  List.of("w", "W", "ww", "v"),
                  command.token(),
                  command.now(),
                  command.claimFor(),
                  command.limit())
              : command),
      that("gives the latest of those that are due first", answering(deliveries -> {
        List<JobDelivery> reversed = new ArrayList<>(deliveries);
        Collections.reverse(reversed);
        return reversed;
      })),
      that(
          "calls a delivery tried once, however often it was",
          answering(deliveries -> deliveries.stream()
              .map(each -> each.tries() > 2 ? tried(each, 2) : each)
              .toList())),
      that(
          "lets a token finish what it held once",
          breaking(LettingTokensOfBefore::new),
          "Webhooks.who_lost_the_claim_changes_nothing",
          "Webhooks.a_claim_that_was_lost_finishes_nothing_for_who_claimed_again"),
      that(
          "finishes all that a claim gave with one of them",
          breaking(FinishingAll::new),
          "Webhooks.what_is_finished_is_what_is_named_and_no_more"),
      finishing(
          "tries again a millisecond late",
          outcome -> outcome.retryAt() == null
              ? outcome
              : new Outcome(outcome.deliveryId(), outcome.retryAt().plus(MILLI)),
          "Webhooks.a_delivery_is_due_at_its_very_time"),
      registering(
          "keeps what a webhook was first told of",
          (before, after) -> before,
          "Webhooks.a_webhook_that_changes_between_two_ends_is_told_of_each_by_what_it_was_then"),
      registering(
          "keeps the queues of before where none are named",
          (before, after) -> after.queueNames().isEmpty()
              ? new JobEndFilter(after.states(), before.queueNames(), after.names())
              : after),
      registering(
          "forgets the states of a webhook that is registered again",
          (before, after) -> new JobEndFilter(Set.of(), after.queueNames(), after.names())),
      filtering(
          "looks at names where no queue is named only",
          filter -> filter.queueNames().isEmpty()
              ? filter
              : new JobEndFilter(filter.states(), filter.queueNames(), List.of())),
      filtering(
          "looks at the state where nothing else is named only",
          filter -> filter.names().isEmpty()
              ? filter
              : new JobEndFilter(Set.of(), filter.queueNames(), filter.names())),
      filtering(
          "finds queues whatever their case",
          filter ->
              new JobEndFilter(filter.states(), inAnyCase(filter.queueNames()), filter.names())),
      filtering(
          "looks at the first name alone",
          filter -> new JobEndFilter(
              filter.states(),
              filter.queueNames(),
              filter.names().stream().limit(1).toList())),
      filtering(
          "takes cancelled and failed jobs for completed ones where two things are named",
          filter -> filter.states().equals(Set.of(JobState.COMPLETED))
                  && !filter.queueNames().isEmpty()
              ? new JobEndFilter(Set.of(), filter.queueNames(), filter.names())
              : filter),
      that(
          "forgets what a webhook is owed that is registered again",
          breaking(Forgetting::new),
          "Webhooks.a_webhook_that_changes_between_two_ends_is_told_of_each_by_what_it_was_then"),
      that("tells those alone that were registered last", breaking(Replacing::new)),
      that(
          "forgets webhooks at exactly seven days",
          breaking(real -> new Forwarding(real) {
            @Override
            public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
              return super.registerWebhooks(
                      new RegisterJobWebhooks(Map.of(), command.now().plus(MILLI)))
                  .compose(forgotten -> super.registerWebhooks(command));
            }
          }),
          "Webhooks.a_webhook_is_kept_for_seven_days_and_not_a_moment_longer"),
      that(
          "keeps webhooks a millisecond too long",
          breaking(real -> new Forwarding(real) {
            @Override
            public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
              return super.registerWebhooks(
                  new RegisterJobWebhooks(command.webhooks(), command.now().plus(MILLI)));
            }
          }),
          "Webhooks.a_webhook_is_kept_for_seven_days_and_not_a_moment_longer"));

  private SubtleWebhookFaults() {}

  private static UnaryOperator<JobStore> breaking(
      Function<JobWebhookStore, JobWebhookStore> breaking) {
    return real -> BrokenJobWebhooks.webhooks(real, breaking);
  }

  private static BrokenAdapter<JobStore> claiming(
      String sentence, UnaryOperator<ClaimJobDeliveries> altering, String... failing) {
    return that(
        sentence,
        breaking(real -> new Forwarding(real) {
          @Override
          public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
            return super.claimDeliveries(altering.apply(command));
          }
        }),
        failing);
  }

  private static ClaimJobDeliveries claim(
      ClaimJobDeliveries command, Duration claimFor, int limit) {
    return new ClaimJobDeliveries(
        command.webhookIds(), command.token(), command.now(), claimFor, limit);
  }

  private static UnaryOperator<JobStore> answering(UnaryOperator<List<JobDelivery>> altering) {
    return breaking(real -> new Forwarding(real) {
      @Override
      public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
        return super.claimDeliveries(command).map(altering::apply);
      }
    });
  }

  private static JobDelivery tried(JobDelivery delivery, int tries) {
    return new JobDelivery(
        delivery.id(),
        delivery.webhookId(),
        delivery.job(),
        delivery.name(),
        delivery.state(),
        delivery.createdAt(),
        delivery.endedAt(),
        delivery.attemptsMade(),
        delivery.cancelled(),
        tries);
  }

  private static BrokenAdapter<JobStore> finishing(
      String sentence, UnaryOperator<Outcome> altering, String... failing) {
    return that(
        sentence,
        breaking(real -> new Forwarding(real) {
          @Override
          public Future<Void> finishDeliveries(FinishJobDeliveries command) {
            return super.finishDeliveries(new FinishJobDeliveries(
                command.token(), command.outcomes().stream().map(altering).toList()));
          }
        }),
        failing);
  }

  private static BrokenAdapter<JobStore> filtering(
      String sentence, UnaryOperator<JobEndFilter> altering) {
    return that(sentence, breaking(real -> new Forwarding(real) {
      @Override
      public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
        Map<String, JobEndFilter> altered = new TreeMap<>();
        command.webhooks().forEach((id, filter) -> altered.put(id, altering.apply(filter)));
        return super.registerWebhooks(new RegisterJobWebhooks(altered, command.now()));
      }
    }));
  }

  /** What a webhook is told of that is registered again, of what was said before and what is said now. */
  private static BrokenAdapter<JobStore> registering(
      String sentence, BinaryOperator<JobEndFilter> again, String... failing) {
    return that(
        sentence,
        breaking(real -> new Forwarding(real) {
          private final Map<String, JobEndFilter> said = new TreeMap<>();

          @Override
          public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
            Map<String, JobEndFilter> kept = new TreeMap<>();
            command.webhooks().forEach((id, filter) -> kept.put(id, said.merge(id, filter, again)));
            return super.registerWebhooks(new RegisterJobWebhooks(kept, command.now()));
          }
        }),
        failing);
  }

  private static List<String> inAnyCase(List<String> texts) {
    return texts.stream()
        .flatMap(
            text -> Stream.of(text, text.toLowerCase(Locale.ROOT), text.toUpperCase(Locale.ROOT)))
        .distinct()
        .toList();
  }

  /** Knows who holds what, and who held it. */
  private static final class LettingTokensOfBefore extends Forwarding {
    private final Map<String, String> holders = new HashMap<>();
    private final Map<String, List<String>> held = new HashMap<>(); // tokens of each delivery

    LettingTokensOfBefore(JobWebhookStore real) {
      super(real);
    }

    @Override
    public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
      return super.claimDeliveries(command).map(claimed -> {
        claimed.forEach(each -> {
          holders.put(each.id(), command.token());
          held.computeIfAbsent(each.id(), id -> new ArrayList<>()).add(command.token());
        });
        return claimed;
      });
    }

    @Override
    public Future<Void> finishDeliveries(FinishJobDeliveries command) {
      Future<Void> finished = super.finishDeliveries(command);
      for (Outcome outcome : command.outcomes()) {
        if (held.getOrDefault(outcome.deliveryId(), List.of()).contains(command.token())) {
          String holder = Objects.requireNonNull(holders.get(outcome.deliveryId()));
          finished = finished.compose(
              before -> super.finishDeliveries(new FinishJobDeliveries(holder, List.of(outcome))));
        }
      }
      return finished;
    }
  }

  private static final class FinishingAll extends Forwarding {
    private final Map<String, List<JobDelivery>> given = new HashMap<>(); // by token

    FinishingAll(JobWebhookStore real) {
      super(real);
    }

    @Override
    public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
      return super.claimDeliveries(command).map(claimed -> {
        given.put(command.token(), claimed);
        return claimed;
      });
    }

    @Override
    public Future<Void> finishDeliveries(FinishJobDeliveries command) {
      List<Outcome> rest = given.getOrDefault(command.token(), List.of()).stream()
          .map(JobDelivery::id)
          .filter(id ->
              command.outcomes().stream().noneMatch(each -> each.deliveryId().equals(id)))
          .map(id -> new Outcome(id, null))
          .toList();
      return super.finishDeliveries(command)
          .compose(named -> super.finishDeliveries(new FinishJobDeliveries(command.token(), rest)));
    }
  }

  private static final class Forgetting extends Forwarding {
    Forgetting(JobWebhookStore real) {
      super(real);
    }

    @Override
    public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
      List<String> ids = List.copyOf(command.webhooks().keySet());
      return super.registerWebhooks(command)
          .compose(registered -> super.claimDeliveries(
              new ClaimJobDeliveries(ids, "forgotten", Given.NEXT_YEAR, MILLI, 1_000)))
          .compose(owed -> super.finishDeliveries(new FinishJobDeliveries(
              "forgotten",
              owed.stream().map(each -> new Outcome(each.id(), null)).toList())));
    }
  }

  private static final class Replacing extends Forwarding {
    private final Map<String, JobEndFilter> known = new TreeMap<>();

    Replacing(JobWebhookStore real) {
      super(real);
    }

    @Override
    public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
      known.replaceAll((id, filter) -> NOTHING);
      known.putAll(command.webhooks());
      return super.registerWebhooks(new RegisterJobWebhooks(known, command.now()));
    }
  }
}
