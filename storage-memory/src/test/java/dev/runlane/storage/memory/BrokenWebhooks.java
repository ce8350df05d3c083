package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;
import static dev.runlane.storage.memory.BrokenOperatorStores.store;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Given;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Storages that keep what webhooks are to be told of wrongly. */
final class BrokenWebhooks {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "tells webhooks of success alone",
          registering(filter -> new EndFilter(
              Set.of(RunStatus.SUCCEEDED), filter.taskIds(), filter.queues(), filter.tags())),
          "Webhooks.each_end_of_a_run_has_a_delivery_and_nothing_else_has",
          "Webhooks.only_ends_that_fit_have_a_delivery"),
      that(
          "tells every webhook of every end",
          registering(filter -> EndFilter.ALL),
          "Webhooks.only_ends_that_fit_have_a_delivery",
          "Webhooks.a_webhook_that_is_registered_again_with_another_filter_has_that",
          "Webhooks.malformed_commands_are_refused"),
      that(
          "makes up ends of before",
          store(real -> new ForwardingOperatorStore(real) {
            private boolean isFirst = true;

            @Override
            public Future<List<WebhookDelivery>> claimWebhookDeliveries(
                ClaimWebhookDeliveries command) {
              return super.claimWebhookDeliveries(command).map(found -> {
                boolean makesUp = isFirst && found.isEmpty();
                isFirst = false;
                return makesUp
                    ? List.of(new WebhookDelivery(
                        command.webhookIds().get(0), "before", RunStatus.SUCCEEDED, Given.NOON, 1))
                    : found;
              });
            }
          }),
          "Webhooks.what_ended_before_a_webhook_was_registered_has_no_delivery",
          "Webhooks.environments_have_their_own_webhooks"),
      that(
          "claims deliveries for a moment only, and as many as there are",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<WebhookDelivery>> claimWebhookDeliveries(
                ClaimWebhookDeliveries command) {
              return super.claimWebhookDeliveries(new ClaimWebhookDeliveries(
                  command.environment(),
                  command.webhookIds(),
                  command.token(),
                  command.now(),
                  Duration.ofNanos(1_000),
                  100));
            }
          }),
          "Webhooks.a_delivery_is_given_to_one_until_its_claim_ends",
          "Webhooks.those_that_are_due_longest_are_claimed_first_and_no_more_than_wanted"),
      that(
          "gives deliveries to everybody who asks",
          store(real -> new ForwardingOperatorStore(real) {
            private final Map<String, WebhookDelivery> known = new TreeMap<>();

            @Override
            public synchronized Future<List<WebhookDelivery>> claimWebhookDeliveries(
                ClaimWebhookDeliveries command) {
              return super.claimWebhookDeliveries(command).map(found -> {
                found.forEach(each -> known.putIfAbsent(each.runId(), each));
                return List.copyOf(known.values());
              });
            }
          }),
          "Webhooks.of_many_that_claim_at_once_each_delivery_goes_to_one",
          "Webhooks.each_webhook_has_its_own_delivery_and_a_pruned_run_keeps_its_own"),
      that(
          "knows one end of an id only",
          store(real -> new ForwardingOperatorStore(real) {
            private final Map<String, RunStatus> first = new TreeMap<>();

            @Override
            public Future<List<WebhookDelivery>> claimWebhookDeliveries(
                ClaimWebhookDeliveries command) {
              return super.claimWebhookDeliveries(command).map(found -> {
                found.forEach(each -> first.putIfAbsent(each.runId(), each.status()));
                return found.stream()
                    .filter(each -> first.get(each.runId()) == each.status())
                    .toList();
              });
            }
          }),
          "Webhooks.the_end_of_a_later_run_of_a_pruned_id_replaces_an_end_that_is_left_to_tell"),
      that(
          "forgets what failed",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> finishWebhookDeliveries(FinishWebhookDeliveries command) {
              return super.finishWebhookDeliveries(new FinishWebhookDeliveries(
                  command.environment(),
                  command.token(),
                  command.outcomes().stream()
                      .map(each ->
                          new FinishWebhookDeliveries.Outcome(each.webhookId(), each.runId(), null))
                      .toList()));
            }
          }),
          "Webhooks.a_delivery_that_is_done_with_is_gone_and_one_that_failed_is_due_again"),
      that(
          "believes whoever says that it is done",
          store(real -> new ForwardingOperatorStore(real) {
            private final Set<String> finished = new HashSet<>();

            @Override
            public Future<Void> finishWebhookDeliveries(FinishWebhookDeliveries command) {
              command.outcomes().forEach(each -> finished.add(each.runId()));
              return super.finishWebhookDeliveries(command);
            }

            @Override
            public Future<List<WebhookDelivery>> claimWebhookDeliveries(
                ClaimWebhookDeliveries command) {
              return super.claimWebhookDeliveries(command).map(found -> found.stream()
                  .filter(each -> !finished.contains(each.runId()))
                  .toList());
            }
          }),
          "Webhooks.who_lost_the_claim_changes_nothing"),
      that(
          "remembers webhooks for ever",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> registerWebhooks(RegisterWebhooks command) {
              return super.registerWebhooks(
                  new RegisterWebhooks(command.environment(), command.webhooks(), Given.NEXT_YEAR));
            }
          }),
          "Webhooks.a_webhook_that_nobody_registers_any_more_gets_nothing_and_is_forgotten"));

  private BrokenWebhooks() {}

  private static UnaryOperator<StorageAdapter> registering(UnaryOperator<EndFilter> misread) {
    return store(real -> new ForwardingOperatorStore(real) {
      @Override
      public Future<Void> registerWebhooks(RegisterWebhooks command) {
        Map<String, EndFilter> misunderstood = new TreeMap<>();
        command.webhooks().forEach((id, filter) -> misunderstood.put(id, misread.apply(filter)));
        return super.registerWebhooks(
            new RegisterWebhooks(command.environment(), misunderstood, command.now()));
      }
    });
  }
}
