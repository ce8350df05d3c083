package dev.runlane.storage.memory.operator;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertChange;
import dev.runlane.operator.alert.AlertDelivery;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.kept.Pages;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Alerts of one environment, and who is to be told of them. */
public final class Alerts {
  private static final Comparator<Alert> LATEST_FIRST = Comparator.comparing(Alert::openedAt)
      .thenComparing(Alert::id, Identifiers.ORDER)
      .reversed();

  private final Map<String, Alert> alerts = new HashMap<>();
  private final Map<Key, Delivery> deliveries = new HashMap<>();

  public void observe(ObserveAlerts command) {
    List<String> found = command.findings().stream().map(AlertFinding::subject).toList();
    open(command.ruleId())
        .filter(each -> !found.contains(each.subject()))
        .toList()
        .forEach(each -> resolve(each, command.now()));
    command.findings().forEach(finding -> found(command, finding));
    forget(command.now().minus(OperatorStore.ALERTS_KEPT));
  }

  private void found(ObserveAlerts command, AlertFinding finding) {
    Optional<Alert> known = open(command.ruleId())
        .filter(each -> each.subject().equals(finding.subject()))
        .findFirst();
    if (known.isEmpty() && alerts.containsKey(finding.alertId())) {
      return;
    }
    Alert now = new Alert(
        known.map(Alert::id).orElse(finding.alertId()),
        command.ruleId(),
        finding.subject(),
        finding.text(),
        known.map(Alert::openedAt).orElse(command.now()),
        known.map(alert -> seenAt(alert, command.now())).orElse(command.now()),
        null,
        0);
    alerts.put(now.id(), now);
    command
        .channels()
        .forEach(channel -> deliveries.putIfAbsent(
            new Key(now.id(), channel, AlertChange.OPENED), new Delivery(command.now(), 0, null)));
  }

  private void resolve(Alert open, Instant now) {
    alerts.put(
        open.id(),
        new Alert(
            open.id(),
            open.ruleId(),
            open.subject(),
            open.text(),
            open.openedAt(),
            open.lastSeenAt(),
            seenAt(open, now),
            0));
    deliveries.keySet().stream()
        .filter(each -> each.alertId().equals(open.id()))
        .toList()
        .forEach(told -> deliveries.putIfAbsent(
            new Key(open.id(), told.channel(), AlertChange.RESOLVED), new Delivery(now, 0, null)));
  }

  /** A clock that is behind takes no time from an alert. */
  private static Instant seenAt(Alert open, Instant now) {
    return now.isBefore(open.lastSeenAt()) ? open.lastSeenAt() : now;
  }

  private void forget(Instant keptFrom) {
    alerts
        .values()
        .removeIf(each -> each.resolvedAt() != null && each.resolvedAt().isBefore(keptFrom));
    deliveries.keySet().removeIf(each -> !alerts.containsKey(each.alertId()));
  }

  private Stream<Alert> open(String ruleId) {
    return alerts.values().stream()
        .filter(each -> each.isOpen() && each.ruleId().equals(ruleId));
  }

  public Page<Alert> list(ListAlerts query) {
    Cursors cursors = Cursors.of(query);
    Optional<List<String>> after = cursors.decode(query.cursor(), 2);
    Stream<Alert> behind = alerts.values().stream()
        .filter(each -> query.ruleId() == null || query.ruleId().equals(each.ruleId()))
        .filter(each -> query.isOpen() == null || query.isOpen() == each.isOpen())
        .map(this::told)
        .filter(each ->
            after.map(parts -> LATEST_FIRST.compare(position(parts), each) < 0).orElse(true))
        .sorted(LATEST_FIRST);
    return Pages.of(
        behind, query.limit(), last -> cursors.encode(last.openedAt().toString(), last.id()));
  }

  private static Alert position(List<String> parts) {
    Instant at = Cursors.instant(parts.get(0));
    return new Alert(parts.get(1), "", "", "", at, at, null, 0);
  }

  private Alert told(Alert alert) {
    long untold = deliveries.entrySet().stream()
        .filter(each ->
            each.getKey().alertId().equals(alert.id()) && each.getValue().nextAt() != null)
        .count();
    return new Alert(
        alert.id(),
        alert.ruleId(),
        alert.subject(),
        alert.text(),
        alert.openedAt(),
        alert.lastSeenAt(),
        alert.resolvedAt(),
        Math.toIntExact(untold));
  }

  public List<AlertDelivery> claim(ClaimAlertDeliveries command) {
    List<Key> due = deliveries.entrySet().stream()
        .filter(each -> command.channels().contains(each.getKey().channel())
            && each.getValue().isDueAt(command.now())
            && !isBehindItsBeginning(each.getKey()))
        .sorted(Comparator.comparing((Map.Entry<Key, Delivery> each) ->
                Objects.requireNonNull(each.getValue().nextAt()))
            .thenComparing(each -> each.getKey().alertId(), Identifiers.ORDER))
        .limit(command.limit())
        .map(Map.Entry::getKey)
        .toList();
    return due.stream().map(key -> claim(key, command)).toList();
  }

  /** Whether it is told when that has been told which comes before it. */
  private boolean isBehindItsBeginning(Key key) {
    Delivery beginning = key.change() == AlertChange.OPENED
        ? null
        : deliveries.get(new Key(key.alertId(), key.channel(), AlertChange.OPENED));
    return beginning != null && beginning.nextAt() != null;
  }

  private AlertDelivery claim(Key key, ClaimAlertDeliveries command) {
    int tries = Objects.requireNonNull(deliveries.get(key)).tries() + 1;
    Instant claimUntil = command.now().plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS);
    deliveries.put(key, new Delivery(claimUntil, tries, command.token()));
    return new AlertDelivery(
        told(Objects.requireNonNull(alerts.get(key.alertId()))),
        key.channel(),
        key.change(),
        tries);
  }

  public void finish(FinishAlertDeliveries command) {
    for (FinishAlertDeliveries.Outcome outcome : command.outcomes()) {
      Key key = new Key(outcome.alertId(), outcome.channel(), outcome.change());
      Delivery held = deliveries.get(key);
      if (held != null && command.token().equals(held.token())) {
        deliveries.put(key, new Delivery(outcome.retryAt(), held.tries(), null));
      }
    }
  }

  private record Key(String alertId, String channel, AlertChange change) {}

  /** Without an instant it is done with. */
  private record Delivery(
      @Nullable Instant nextAt, int tries, @Nullable String token) {
    boolean isDueAt(Instant now) {
      return nextAt != null && !nextAt.isAfter(now);
    }
  }
}
