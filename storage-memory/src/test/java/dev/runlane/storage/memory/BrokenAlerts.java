package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;
import static dev.runlane.storage.memory.BrokenOperatorStores.store;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Race;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertDelivery;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.run.Environment;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Storages that keep alerts, documents of operators and occupied slots wrongly. */
final class BrokenAlerts {
  private static final Environment EVERYWHERE = new Environment("everywhere");

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "changes a document whatever its version is",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Optional<Long>> putDocument(PutDocument command) {
              return super.putDocument(new PutDocument(
                  command.environment(),
                  command.kind(),
                  command.name(),
                  null,
                  command.content(),
                  command.actor(),
                  command.now()));
            }
          }),
          "Documents.a_document_that_is_not_as_expected_stays_as_it_is",
          "Documents.of_many_that_expect_one_version_one_changes_it",
          "Documents.malformed_documents_are_refused"),
      that(
          "makes a document anew that is removed beside a change",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Optional<Long>> putDocument(PutDocument command) {
              return super.putDocument(command).compose(version -> Race.allStarted()
                  .compose(started -> version.isPresent() && version.get() > 1
                      ? super.putDocument(new PutDocument(
                          command.environment(),
                          command.kind(),
                          command.name(),
                          null,
                          command.content(),
                          command.actor(),
                          command.now()))
                      : Future.succeededFuture(version)));
            }
          }),
          "Documents.a_document_that_is_removed_is_not_made_anew_by_who_expects_a_version"),
      that(
          "keeps the documents of all environments together",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Optional<Long>> putDocument(PutDocument command) {
              return super.putDocument(new PutDocument(
                  EVERYWHERE,
                  command.kind(),
                  command.name(),
                  command.expectedVersion(),
                  command.content(),
                  command.actor(),
                  command.now()));
            }

            @Override
            public Future<Boolean> removeDocument(RemoveDocument command) {
              return super.removeDocument(
                  new RemoveDocument(EVERYWHERE, command.kind(), command.name()));
            }

            @Override
            public Future<Page<OperatorDocument>> listDocuments(ListDocuments query) {
              return super.listDocuments(
                  new ListDocuments(EVERYWHERE, query.kind(), query.limit(), query.cursor()));
            }
          }),
          "Documents.environments_have_their_own_documents"),
      that(
          "remembers documents that were removed, and the first version of each",
          store(real -> new ForwardingOperatorStore(real) {
            private final Map<String, OperatorDocument> known = new TreeMap<>();

            @Override
            public Future<Page<OperatorDocument>> listDocuments(ListDocuments query) {
              return super.listDocuments(
                      new ListDocuments(query.environment(), query.kind(), null, null))
                  .map(page -> new Page<>(
                      page.data().stream()
                          .map(each -> new OperatorDocument(
                              each.kind(),
                              each.name(),
                              1,
                              each.content(),
                              each.actor(),
                              each.changedAt()))
                          .toList(),
                      null));
            }

            @Override
            public Future<Boolean> removeDocument(RemoveDocument command) {
              return Future.succeededFuture(known.isEmpty());
            }
          }),
          "Documents.a_document_is_listed_as_it_was_put_last",
          "Documents.a_document_that_is_removed_is_gone_once",
          "Documents.documents_of_a_kind_are_listed_by_their_names_in_pages"),
      that(
          "counts the slots of all queues and environments together",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<OccupiedPartition>> listOccupied(ListOccupied query) {
              return super.listOccupied(query).map(found -> {
                List<OccupiedPartition> more = new ArrayList<>(found);
                more.add(new OccupiedPartition("elsewhere", 1));
                return more;
              });
            }
          }),
          "Occupied.partitions_that_hold_slots_are_listed_the_fullest_first",
          "Occupied.queues_and_environments_have_their_own_partitions"),
      that(
          "refuses no question about slots",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<OccupiedPartition>> listOccupied(ListOccupied query) {
              return super.listOccupied(query)
                  .recover(failure -> Future.succeededFuture(List.of()));
            }
          }),
          "Occupied.a_malformed_question_is_refused"),
      that(
          "resolves no alert",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> observeAlerts(ObserveAlerts command) {
              return command.findings().isEmpty()
                  ? Future.succeededFuture()
                  : super.observeAlerts(command);
            }
          }),
          "Alerts.an_alert_is_open_from_when_it_is_found_first_to_when_it_is_found_no_more",
          "Alerts.what_is_found_again_after_it_was_resolved_is_another_alert",
          "Alerts.rules_and_environments_have_their_own_alerts",
          "Alerts.a_channel_is_told_once_of_each_change",
          "Alerts.malformed_alerts_are_refused"),
      that(
          "ends alerts by a clock that is behind",
          store(real -> new ForwardingOperatorStore(real) {
            private Instant observedAt = Instant.EPOCH;

            @Override
            public Future<Void> observeAlerts(ObserveAlerts command) {
              observedAt = command.now();
              return super.observeAlerts(command);
            }

            @Override
            public Future<Page<Alert>> listAlerts(ListAlerts query) {
              return super.listAlerts(query)
                  .map(page -> new Page<>(
                      page.data().stream()
                          .map(each -> new Alert(
                              each.id(),
                              each.ruleId(),
                              each.subject(),
                              each.text(),
                              each.openedAt(),
                              each.lastSeenAt(),
                              each.isOpen() ? null : observedAt,
                              each.untold()))
                          .toList(),
                      page.nextCursor()));
            }
          }),
          "Alerts.a_process_whose_clock_is_behind_takes_no_time_from_an_alert"),
      that(
          "opens an alert again by another id",
          store(real -> new ForwardingOperatorStore(real) {
            private int observed;

            @Override
            public Future<Void> observeAlerts(ObserveAlerts command) {
              observed++;
              return super.observeAlerts(new ObserveAlerts(
                  command.environment(),
                  command.ruleId(),
                  command.findings().stream()
                      .map(each -> new AlertFinding(
                          each.alertId() + "_" + observed, each.subject(), each.text()))
                      .toList(),
                  command.channels(),
                  command.now()));
            }
          }),
          "Alerts.an_id_that_an_alert_has_already_opens_no_other_and_the_rest_is_observed"),
      that(
          "tells the pager of everything",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> observeAlerts(ObserveAlerts command) {
              return super.observeAlerts(new ObserveAlerts(
                  command.environment(),
                  command.ruleId(),
                  command.findings(),
                  List.of("pager"),
                  command.now()));
            }
          }),
          "Alerts.who_was_not_told_that_an_alert_is_open_is_not_told_of_its_end_and_may_be_told_late",
          "Alerts.malformed_alerts_are_refused"),
      that(
          "claims deliveries of alerts for a moment only, and as many as there are",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command) {
              return super.claimAlertDeliveries(new ClaimAlertDeliveries(
                  command.environment(),
                  command.channels(),
                  command.token(),
                  command.now(),
                  Duration.ofNanos(1_000),
                  100));
            }
          }),
          "Alerts.a_delivery_is_given_to_one_until_its_claim_ends_and_is_due_again_after_a_failure",
          "Alerts.deliveries_that_are_due_longest_are_claimed_first_and_no_more_than_wanted"),
      that(
          "gives the deliveries of one alert together",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command) {
              return super.claimAlertDeliveries(command).map(found -> found.stream()
                  .sorted(Comparator.comparing(each -> each.alert().openedAt()))
                  .toList());
            }
          }),
          "Alerts.deliveries_of_one_alert_are_claimed_each_by_when_it_is_due"),
      that(
          "rounds claims of alerts up",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command) {
              return super.claimAlertDeliveries(new ClaimAlertDeliveries(
                  command.environment(),
                  command.channels(),
                  command.token(),
                  command.now(),
                  command.claimFor().plusNanos(999),
                  command.limit()));
            }
          }),
          "Alerts.claims_and_retries_of_deliveries_are_cut_to_microseconds"),
      that(
          "gives deliveries of alerts to everybody who asks",
          store(real -> new ForwardingOperatorStore(real) {
            private final Map<String, AlertDelivery> known = new TreeMap<>();

            @Override
            public synchronized Future<List<AlertDelivery>> claimAlertDeliveries(
                ClaimAlertDeliveries command) {
              return super.claimAlertDeliveries(command).map(found -> {
                found.forEach(each -> known.putIfAbsent(each.alert().id(), each));
                return List.copyOf(known.values());
              });
            }
          }),
          "Alerts.of_many_that_tell_and_claim_at_once_an_alert_opens_once_and_each_delivery_goes_to_one",
          "Alerts.a_channel_is_told_once_of_each_change"),
      that(
          "believes whoever says that an alert was told",
          store(real -> new ForwardingOperatorStore(real) {
            private final List<String> finished = new ArrayList<>();

            @Override
            public Future<Void> finishAlertDeliveries(FinishAlertDeliveries command) {
              command.outcomes().forEach(each -> finished.add(each.alertId()));
              return super.finishAlertDeliveries(command);
            }

            @Override
            public Future<List<AlertDelivery>> claimAlertDeliveries(ClaimAlertDeliveries command) {
              return super.claimAlertDeliveries(command).map(found -> found.stream()
                  .filter(each -> !finished.contains(each.alert().id()))
                  .toList());
            }
          }),
          "Alerts.who_lost_the_claim_of_a_delivery_changes_nothing",
          "Alerts.a_channel_is_told_once_of_each_change"),
      that(
          "lists all alerts in one page, and for ever",
          store(real -> new ForwardingOperatorStore(real) {
            private final Map<String, Alert> known = new TreeMap<>();

            @Override
            public Future<Page<Alert>> listAlerts(ListAlerts query) {
              return super.listAlerts(new ListAlerts(
                      query.environment(), query.ruleId(), query.isOpen(), null, query.cursor()))
                  .map(page -> {
                    page.data().forEach(each -> known.put(each.id(), each));
                    return new Page<>(List.copyOf(known.values()), null);
                  });
            }

            @Override
            public Future<Void> observeAlerts(ObserveAlerts command) {
              return super.observeAlerts(new ObserveAlerts(
                  command.environment(),
                  command.ruleId(),
                  command.findings().stream()
                      .map(each -> new AlertFinding(each.alertId(), each.subject(), each.text()))
                      .toList(),
                  command.channels(),
                  command.now()));
            }
          }),
          "Alerts.alerts_are_listed_latest_first_in_pages_and_forgotten_long_after_they_were_resolved"));

  private BrokenAlerts() {}
}
