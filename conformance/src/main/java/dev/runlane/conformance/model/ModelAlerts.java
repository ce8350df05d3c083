package dev.runlane.conformance.model;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertChange;
import dev.runlane.operator.alert.AlertDelivery;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.alert.ClaimAlertDeliveries;
import dev.runlane.operator.alert.FinishAlertDeliveries;
import dev.runlane.operator.alert.ListAlerts;
import dev.runlane.operator.alert.ObserveAlerts;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about alerts, and who is still to be told of them. */
public final class ModelAlerts {
  private static final Comparator<Alert> LATEST_FIRST = Comparator.comparing(Alert::openedAt)
      .thenComparing(Alert::id, Identifiers.ORDER)
      .reversed();

  private final ModelPages pages;
  private final List<Kept> alerts = new ArrayList<>();
  private final List<Delivery> deliveries = new ArrayList<>();

  public ModelAlerts(Names names) {
    this.pages = new ModelPages(names);
  }

  public @Nullable Void observe(ObserveAlerts command) {
    OperatorChecks.check(command);
    List<String> found = command.findings().stream().map(AlertFinding::subject).toList();
    in(command.environment())
        .filter(each -> each.isOpenOf(command.ruleId()) && !found.contains(each.subject))
        .forEach(each -> resolve(each, command.now()));
    command.findings().forEach(finding -> find(command, finding));
    Instant kept = command.now().minus(OperatorStore.ALERTS_KEPT);
    alerts.removeIf(each -> each.environment.equals(command.environment())
        && each.resolvedAt != null
        && each.resolvedAt.isBefore(kept));
    deliveries.removeIf(each -> !alerts.contains(each.alert));
    return null;
  }

  private void find(ObserveAlerts command, AlertFinding finding) {
    Kept alert = in(command.environment())
        .filter(each -> each.isOpenOf(command.ruleId()) && each.subject.equals(finding.subject()))
        .findFirst()
        .orElse(null);
    if (alert == null) {
      if (in(command.environment()).anyMatch(each -> each.id.equals(finding.alertId()))) {
        return;
      }
      alert = new Kept(command, finding);
      alerts.add(alert);
    }
    alert.text = finding.text();
    alert.lastSeenAt = later(alert.lastSeenAt, command.now());
    for (String channel : command.channels()) {
      if (toldOf(alert, AlertChange.OPENED).noneMatch(each -> each.channel.equals(channel))) {
        deliveries.add(new Delivery(alert, channel, AlertChange.OPENED, command.now()));
      }
    }
  }

  private void resolve(Kept alert, Instant now) {
    alert.resolvedAt = later(alert.lastSeenAt, now);
    toldOf(alert, AlertChange.OPENED)
        .toList()
        .forEach(
            told -> deliveries.add(new Delivery(alert, told.channel, AlertChange.RESOLVED, now)));
  }

  /** A clock that is behind takes no time from an alert. */
  private static Instant later(Instant seen, Instant now) {
    return now.isBefore(seen) ? seen : now;
  }

  private Stream<Delivery> toldOf(Kept alert, AlertChange change) {
    return deliveries.stream().filter(each -> each.alert == alert && each.change == change);
  }

  public Page<Alert> list(ListAlerts query) {
    OperatorChecks.check(query);
    return pages.page(
        Arrays.asList(query.environment(), query.ruleId(), query.isOpen()),
        in(query.environment())
            .filter(each -> query.ruleId() == null || query.ruleId().equals(each.ruleId))
            .filter(each -> query.isOpen() == null || query.isOpen() == (each.resolvedAt == null))
            .map(this::shown),
        LATEST_FIRST,
        query.limit(),
        query.cursor());
  }

  private Alert shown(Kept alert) {
    long untold = deliveries.stream()
        .filter(each -> each.alert == alert && each.nextAt != null)
        .count();
    return new Alert(
        alert.id,
        alert.ruleId,
        alert.subject,
        alert.text,
        alert.openedAt,
        alert.lastSeenAt,
        alert.resolvedAt,
        Math.toIntExact(untold));
  }

  /** Where several are due equally long, and one call does not give all, the storage chooses. */
  public List<AlertDelivery> claim(
      ClaimAlertDeliveries command, @Nullable List<AlertDelivery> answer) {
    OperatorChecks.check(command);
    List<Delivery> due = deliveries.stream()
        .filter(each -> each.alert.environment.equals(command.environment())
            && command.channels().contains(each.channel)
            && each.isDueAt(command.now())
            && !isBehindItsBeginning(each))
        .sorted(Comparator.comparing((Delivery each) -> Objects.requireNonNull(each.nextAt))
            .thenComparing(each -> each.placeIn(answer == null ? List.of() : answer)))
        .limit(command.limit())
        .toList();
    due.forEach(each -> each.claim(command));
    return due.stream()
        .map(each -> new AlertDelivery(shown(each.alert), each.channel, each.change, each.tries))
        .toList();
  }

  private boolean isBehindItsBeginning(Delivery delivery) {
    return delivery.change == AlertChange.RESOLVED
        && toldOf(delivery.alert, AlertChange.OPENED)
            .anyMatch(each -> each.channel.equals(delivery.channel) && each.nextAt != null);
  }

  public @Nullable Void finish(FinishAlertDeliveries command) {
    OperatorChecks.check(command);
    for (FinishAlertDeliveries.Outcome outcome : command.outcomes()) {
      Optional<Delivery> held = deliveries.stream()
          .filter(each -> each.alert.environment.equals(command.environment())
              && each.isOf(outcome.alertId(), outcome.channel(), outcome.change())
              && command.token().equals(each.token))
          .findFirst();
      held.ifPresent(each -> {
        each.nextAt = outcome.retryAt();
        each.token = null;
      });
    }
    return null;
  }

  private Stream<Kept> in(Environment environment) {
    return alerts.stream().filter(each -> each.environment.equals(environment));
  }

  /** When a delivery is due. */
  public Stream<Instant> decisive() {
    return deliveries.stream().flatMap(each -> Stream.ofNullable(each.nextAt));
  }

  /** From when on an alert is forgotten. */
  public Stream<Instant> forgets(Environment environment) {
    return in(environment)
        .flatMap(each -> Stream.ofNullable(each.resolvedAt))
        .map(at -> at.plus(OperatorStore.ALERTS_KEPT).plusNanos(1_000));
  }

  private static final class Kept {
    final Environment environment;
    final String id;
    final String ruleId;
    final String subject;
    final Instant openedAt;
    String text;
    Instant lastSeenAt;

    @Nullable
    Instant resolvedAt;

    Kept(ObserveAlerts command, AlertFinding finding) {
      this.environment = command.environment();
      this.id = finding.alertId();
      this.ruleId = command.ruleId();
      this.subject = finding.subject();
      this.openedAt = command.now();
      this.text = finding.text();
      this.lastSeenAt = command.now();
    }

    boolean isOpenOf(String rule) {
      return resolvedAt == null && ruleId.equals(rule);
    }
  }

  private static final class Delivery {
    final Kept alert;
    final String channel;
    final AlertChange change;

    @Nullable
    Instant nextAt; // null: it is done with

    int tries;

    @Nullable
    String token;

    Delivery(Kept alert, String channel, AlertChange change, Instant now) {
      this.alert = alert;
      this.channel = channel;
      this.change = change;
      this.nextAt = now;
    }

    boolean isOf(String alertId, String otherChannel, AlertChange otherChange) {
      return alert.id.equals(alertId) && channel.equals(otherChannel) && change == otherChange;
    }

    boolean isDueAt(Instant now) {
      return nextAt != null && !nextAt.isAfter(now);
    }

    int placeIn(List<AlertDelivery> answer) {
      for (int i = 0; i < answer.size(); i++) {
        AlertDelivery each = answer.get(i);
        if (isOf(each.alert().id(), each.channel(), each.change())) {
          return i;
        }
      }
      return answer.size();
    }

    void claim(ClaimAlertDeliveries command) {
      tries++;
      token = command.token();
      nextAt = command.now().plus(command.claimFor()).truncatedTo(ChronoUnit.MICROS);
    }
  }
}
