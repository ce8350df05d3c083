package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.model.StorageModel;
import dev.runlane.operator.alert.AlertChange;
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
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.run.IdempotencyTtl;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What operators are told and keep: alerts and who hears of them, documents, and the tasks of processes. */
final class DrawnDesks {
  private static final List<TriggerRules> RULES = List.of(
      TriggerRules.UNTOLD,
      new TriggerRules(IdempotencyTtl.ACTIVE, false, List.of()),
      new TriggerRules(IdempotencyTtl.of(Duration.ofMinutes(90)), true, List.of("a", "a{,}\"\\")),
      new TriggerRules(null, true, List.of("B")));

  private final StorageDraw draw;
  private final StorageModel model;
  private final Shown shown;
  private final List<Instant> starts; // of processes

  DrawnDesks(StorageDraw draw, StorageModel model, Shown shown) {
    this.draw = draw;
    this.model = model;
    this.shown = shown;
    Instant first = Instant.parse("2026-03-04T11:00:00Z");
    this.starts = List.of(first, first.plusNanos(1_000), first.plusSeconds(60));
  }

  Object command(Environment here, Instant now, Actor actor) {
    return switch (draw.upTo(14)) {
      case 0, 1, 2 -> observe(here, now);
      case 3, 4 -> claim(here, now);
      case 5, 6, 7 -> finish(here, now);
      case 8, 9 -> publish(here, now);
      case 10 -> remove(here);
      default -> put(here, now, actor);
    };
  }

  Object read(Environment here, Instant now) {
    return switch (draw.upTo(5)) {
      case 0, 1 ->
        new ListAlerts(here, draw.oneIn(2) ? rule() : null, booleanOrNull(), limit(), null);
      case 2 -> new ListDocuments(here, kind(), limit(), null);
      case 3 -> occupied(here, now);
      default -> new ListTasks(here, draw.oneIn(3) ? draw.anyOf(draw.titles) : null, limit(), null);
    };
  }

  private Object occupied(Environment here, Instant now) {
    List<String> bounded = draw.boundedQueues();
    return bounded.isEmpty()
        ? new ListAlerts(here, null, null, limit(), null)
        : new ListOccupied(here, draw.anyOf(bounded), now, 1 + draw.upTo(3));
  }

  /** All that can be read, at the end: who is still to be told, when all claims have ended. */
  List<Object> everything(Environment here, Instant end) {
    List<Object> all = new ArrayList<>();
    all.add(new ListTasks(here, null, null, null));
    all.add(new ListTasks(here, draw.titles.get(0), null, null));
    draw.workers.forEach(kind -> all.add(new ListDocuments(here, kind, null, null)));
    all.add(new ListAlerts(here, null, null, null, null));
    all.add(new ListAlerts(here, rule(), true, null, null));
    all.add(new ClaimAlertDeliveries(here, draw.tasks, "last", end, Duration.ofSeconds(1), 100));
    return all;
  }

  private ObserveAlerts observe(Environment here, Instant now) {
    List<String> ids = new ArrayList<>(draw.inAnyOrder(draw.oneIn(2) ? draw.titles : draw.runIds));
    List<AlertFinding> findings = new ArrayList<>();
    for (String subject : draw.some(draw.actions)) {
      if (!ids.isEmpty() && !draw.oneIn(4)) {
        findings.add(new AlertFinding(ids.remove(0), subject, draw.anyOf(draw.keys)));
      }
    }
    return new ObserveAlerts(
        here,
        rule(),
        findings,
        draw.oneIn(4) ? List.of() : draw.some(draw.tasks),
        draw.oneIn(6) ? atAnyOf(model.alerts.forgets(here), now) : now);
  }

  private ClaimAlertDeliveries claim(Environment here, Instant now) {
    return new ClaimAlertDeliveries(
        here,
        draw.oneIn(2) ? draw.tasks : draw.some(draw.tasks),
        token(),
        now,
        draw.claimTime(),
        1 + draw.upTo(draw.oneIn(2) ? 2 : 6));
  }

  /** Of one claim mostly, some of them finished before, and now and then taken for another. */
  private Object finish(Environment here, Instant now) {
    if (shown.alerts.isEmpty()) {
      return claim(here, now);
    }
    List<Shown.ToldOf> recent =
        shown.alerts.subList(Math.max(0, shown.alerts.size() - 12), shown.alerts.size());
    Shown.ToldOf one = draw.oneIn(2) ? recent.get(recent.size() - 1) : draw.anyOf(recent);
    Map<List<Object>, FinishAlertDeliveries.Outcome> outcomes = new LinkedHashMap<>();
    for (Shown.ToldOf each : recent) {
      boolean isOfOne =
          each.environment().equals(one.environment()) && each.token().equals(one.token());
      if (isOfOne ? !draw.oneIn(4) : draw.oneIn(4)) {
        FinishAlertDeliveries.Outcome outcome =
            other(outcome(each.delivery(), draw.oneIn(2) ? draw.after(now) : null));
        outcomes.put(List.of(outcome.alertId(), outcome.channel(), outcome.change()), outcome);
      }
    }
    return new FinishAlertDeliveries(
        draw.oneIn(6) ? draw.environment() : one.environment(),
        one.token(),
        List.copyOf(outcomes.values()));
  }

  private static FinishAlertDeliveries.Outcome outcome(
      AlertDelivery delivery, @Nullable Instant retryAt) {
    return new FinishAlertDeliveries.Outcome(
        delivery.alert().id(), delivery.channel(), delivery.change(), retryAt);
  }

  /** Seldom of another alert, to another channel or of another change. */
  private FinishAlertDeliveries.Outcome other(FinishAlertDeliveries.Outcome outcome) {
    return new FinishAlertDeliveries.Outcome(
        draw.oneIn(12) ? draw.anyOf(draw.titles) : outcome.alertId(),
        draw.oneIn(12) ? draw.anyOf(draw.tasks) : outcome.channel(),
        draw.oneIn(12) ? draw.anyOf(List.of(AlertChange.values())) : outcome.change(),
        outcome.retryAt());
  }

  /** Any of few, so that it proves several claims. */
  private String token() {
    return draw.anyOf(List.of("t", "T", "t" + draw.unique()));
  }

  /** Any of few, by what was drawn anyway: so each seed draws what it drew before there were rules. */
  private static TriggerRules rules(String taskId, Instant now) {
    return RULES.get(Math.floorMod(taskId.hashCode() + now.hashCode(), RULES.size()));
  }

  private PublishTasks publish(Environment here, Instant now) {
    List<RuntimeTask> tasks = draw.some(draw.titles).stream()
        .limit(1 + draw.upTo(3))
        .map(id -> new RuntimeTask(
            id,
            draw.anyOf(draw.queues()).queue(),
            !draw.oneIn(3),
            draw.anyOf(draw.keys),
            draw.oneIn(3) ? null : draw.json(),
            draw.oneIn(3) ? List.of() : draw.some(List.of(TaskKey.values())),
            rules(id, now)))
        .toList();
    return new PublishTasks(
        here,
        draw.anyOf(draw.workers),
        draw.anyOf(starts),
        tasks,
        draw.oneIn(4) ? atAnyOf(model.tasks.ends(here), now) : now);
  }

  /** Of the version that is there mostly, or of any. */
  private PutDocument put(Environment here, Instant now, Actor actor) {
    String kind = kind();
    String name = draw.anyOf(draw.titles);
    long version = model.documents.version(here, kind, name);
    @Nullable
    Long expected =
        switch (draw.upTo(6)) {
          case 0 -> null;
          case 1 -> 0L;
          case 2 -> Math.max(0, version + 1 - draw.upTo(3));
          default -> version;
        };
    return new PutDocument(here, kind, name, expected, draw.json(), actor, now);
  }

  /** One that is there mostly. */
  private RemoveDocument remove(Environment here) {
    List<OperatorDocument> known = model.documents.known(here).toList();
    if (known.isEmpty() || draw.oneIn(4)) {
      return new RemoveDocument(here, kind(), draw.anyOf(draw.titles));
    }
    OperatorDocument one = draw.anyOf(known);
    return new RemoveDocument(here, one.kind(), one.name());
  }

  /** The clock goes on to one of these, or to the moment before it; it stays where there is none. */
  private Instant atAnyOf(Stream<Instant> instants, Instant now) {
    List<Instant> all = instants.toList();
    return all.isEmpty() ? now : draw.at(draw.anyOf(all));
  }

  private String rule() {
    return draw.anyOf(draw.workers);
  }

  private String kind() {
    return draw.anyOf(draw.workers);
  }

  private @Nullable Boolean booleanOrNull() {
    return draw.oneIn(2) ? null : draw.oneIn(2);
  }

  /** Often as many as there are, and now and then more than a page has. */
  private @Nullable Integer limit() {
    return switch (draw.upTo(8)) {
      case 0 -> null;
      case 1 -> Integer.MAX_VALUE;
      default -> 1 + draw.upTo(3);
    };
  }
}
