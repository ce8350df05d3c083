package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.drawn.Spoiler;
import dev.runlane.conformance.model.LookAtPending;
import dev.runlane.conformance.model.Names;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.FinishAction;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.PruneActions;
import dev.runlane.operator.action.RecordAction;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.ListLogLines;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.queue.FinishResumedRuns;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PauseQueue;
import dev.runlane.operator.queue.ResumeQueue;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.ListThroughput;
import dev.runlane.operator.throughput.PruneThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.operator.webhook.ClaimWebhookDeliveries;
import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.operator.webhook.FinishWebhookDeliveries;
import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What operators do and ask, and what processes tell of themselves and of their schedules. */
final class DrawnOperations {
  private static final List<String> DEFINITIONS =
      List.of("0 * * * *", "0 * * * * ", "PT1M", "pt1m", RegisterSchedules.Definition.DISABLED);

  /** Longer than any lease that is drawn. */
  private static final Duration LONG_LEASES = Duration.ofDays(40);

  private final StorageDraw draw;
  private final StorageModel model;
  private final Shown shown;
  private final DrawnRest rest;
  private final DrawnReads reads;
  private final DrawnDesks desks;
  private final boolean atDesks;
  private @Nullable Environment resumed; // where some runs were told just now

  /** {@code atDesks}: most of what is done is about alerts, documents and tasks; else nothing is. */
  DrawnOperations(
      StorageDraw draw,
      StorageModel model,
      Shown shown,
      DrawnRest rest,
      DrawnReads reads,
      boolean atDesks) {
    this.draw = draw;
    this.model = model;
    this.shown = shown;
    this.rest = rest;
    this.reads = reads;
    this.desks = new DrawnDesks(draw, model, shown);
    this.atDesks = atDesks;
  }

  Object command() {
    Environment here = draw.environment();
    Instant now = draw.now();
    Environment resumed = this.resumed;
    if (resumed != null && draw.oneIn(2)) {
      this.resumed = null;
      return takeResumed(resumed, now);
    }
    if (atDesks && !draw.oneIn(3)) {
      return desks.command(here, now, actor());
    }
    return switch (draw.upTo(36)) {
      case 26 -> new PauseQueue(here, queueOfRuns(here), actor(), textOrNull(), now);
      case 27 -> new ResumeQueue(here, pausedQueue(here));
      case 28 -> rest.buryOutbox();
      case 29 -> rest.claimOccurrence();
      case 30, 31 -> rest.completeOccurrence();
      case 32 -> pruneOccurrences(here, now);
      case 33 ->
        draw.oneIn(2)
            ? new PauseSchedule(here, schedule(), actor(), textOrNull(), now)
            : new ResumeSchedule(here, pausedSchedule(here), now);
      case 34 -> new RegisterWebhooks(here, webhooks(), now);
      case 35 -> finishDeliveries(here, now);
      case 0, 1 -> sign(here, now);
      case 2 -> draw.oneIn(3) ? sign(here, now) : new EndProcess(here, process(here));
      case 3 -> new PauseQueue(here, queueOfRuns(here), actor(), textOrNull(), now);
      case 4, 5 -> new ResumeQueue(here, pausedQueue(here));
      case 6, 7, 8 -> takeResumed(here, now);
      case 9, 10 -> finishResumed(here, now);
      case 11, 12 -> redrive(here, now);
      case 13 -> new TakeSample(here, now, draw.claimTime());
      case 14 -> record(here, now);
      case 15 -> new FinishAction(here, action(), draw.oneIn(2), textOrNull(), now);
      case 16 ->
        draw.oneIn(2)
            ? new PruneActions(here, afterAnAction(here, now), 1 + draw.upTo(2))
            : new PruneThroughput(here, minute(here, now), 1 + draw.upTo(3));
      case 17 -> new AddThroughput(here, buckets(now));
      case 18 -> new AppendLogLines(here, lines(here, now));
      case 19 -> new RegisterWebhooks(here, webhooks(), now);
      case 20, 21 ->
        new ClaimWebhookDeliveries(
            here, draw.some(draw.keys), token(), now, draw.claimTime(), 1 + draw.upTo(2));
      case 22 -> finishDeliveries(here, now);
      case 23, 24 -> register(here, now);
      default ->
        draw.oneIn(2)
            ? new PauseSchedule(here, schedule(), actor(), textOrNull(), now)
            : draw.oneIn(2)
                ? new ResumeSchedule(here, pausedSchedule(here), now)
                : pruneOccurrences(here, now);
    };
  }

  Object read() {
    Environment here = draw.environment();
    Instant now = draw.now();
    if (!shown.operatorPages.isEmpty() && draw.oneIn(3)) {
      return otherwise(draw.anyOf(shown.operatorPages));
    }
    if (atDesks && draw.oneIn(2)) {
      return desks.read(here, now);
    }
    return switch (draw.upTo(16)) {
      case 0 -> new ListProcesses(here, limit(), null);
      case 1 -> {
        String worker = worker();
        Instant then = draw.oneIn(2) ? now : beforeItsLeasesEnd(here, worker, now);
        yield new LeasesOf(here, worker, then, 1 + draw.upTo(2));
      }
      case 2, 3, 4 -> new ListOutbox(here, knownStatus(), limit(), null);
      case 5 -> new LookAtPending(here);
      case 6 -> new ListPausedQueues(here);
      case 7 -> new GetSample(here);
      case 8 -> new ListActions(here, limit(), null);
      case 9 -> minutes(here, now);
      case 10 -> new ListLogLines(here, runId(here), limit(), null);
      case 11 -> new FindTags(here, draw.some(draw.runIds));
      case 12, 13 ->
        new ListTaggedRuns(
            here, tags(here), draw.oneIn(2) ? RunFilter.ALL : reads.runFilter(), limit(), null);
      case 14 -> new ListSchedules(here, limit(), null);
      default -> new FindSchedules(here, draw.some(schedules()));
    };
  }

  /** All that can be read, at the end. */
  List<Object> everything() {
    List<Object> all = new ArrayList<>();
    Instant now = draw.now();
    for (Environment here : draw.environments) { // before any caller says that it is much later
      draw.boundedQueues().forEach(queue -> List.of(1, 2, 100)
          .forEach(limit -> all.add(new ListOccupied(here, queue, now, limit))));
    }
    for (Environment here : draw.environments) {
      all.add(new ListProcesses(here, null, null));
      draw.workers.forEach(worker -> all.add(new LeasesOf(here, worker, now, 100)));
      draw.workers.forEach(worker -> {
        Instant then = beforeItsLeasesEnd(here, worker, now);
        IntStream.rangeClosed(1, 2)
            .forEach(limit -> all.add(new LeasesOf(here, worker, then, limit)));
      });
      for (OutboxMessageStatus status : List.of(
          OutboxMessageStatus.CLAIMED,
          OutboxMessageStatus.FAILED,
          OutboxMessageStatus.DEAD_LETTERED)) {
        all.add(new ListOutbox(here, status, null, null));
      }
      all.add(new LookAtPending(here));
      steps(here, all);
      all.add(new ListPausedQueues(here));
      all.add(new GetSample(here));
      all.add(new TakeSample(here, now, Duration.ofNanos(1_000)));
      all.add(new GetSample(here));
      all.add(new TakeSample(here, now.plus(LONG_LEASES), Duration.ofMillis(1)));
      all.add(new GetSample(here));
      all.add(new ListActions(here, null, null));
      actions(here, all);
      all.add(new ListThroughput(
          here, now.minus(LONG_LEASES), now.plus(LONG_LEASES), null, null, null, null));
      for (int minutes : List.of(5, 60)) {
        Duration whole = Duration.ofMinutes(minutes); // which storages may keep folded
        all.add(new FoldThroughput(
            here,
            model.records.firstWhole(here, now.minus(LONG_LEASES), whole),
            now.plus(LONG_LEASES),
            whole,
            minutes == 5 ? FoldThroughput.By.TASK : FoldThroughput.By.QUEUE,
            null,
            null));
      }
      Duration step = Duration.ofMinutes(3); // of minutes alone, since some are pruned
      for (FoldThroughput.By by : FoldThroughput.By.values()) {
        all.add(new FoldThroughput(
            here,
            FoldThroughput.beginOf(now.minus(LONG_LEASES), step),
            now.plus(LONG_LEASES),
            step,
            by,
            null,
            null));
      }
      foldsOfSome(here, now, step, all);
      for (int atMost : List.of(1, 1_000)) {
        all.add(new CountRuns(here, RunFilter.ALL, atMost));
      }
      draw.tasks.forEach(
          task -> all.add(new CountRuns(here, RunFilter.ALL.withTaskIds(List.of(task)), 1_000)));
      countsOfSome(here, all);
      draw.runIds.forEach(run -> all.add(new ListLogLines(here, run, null, null)));
      all.add(new FindTags(here, draw.runIds));
      model
          .runs(here)
          .map(run -> run.tags())
          .filter(tags -> !tags.isEmpty())
          .distinct()
          .forEach(tags -> all.add(
              new ListTaggedRuns(here, tags, RunFilter.ALL, SortDirection.ASC, null, null)));
      all.add(new ListSchedules(here, null, null));
      if (atDesks) {
        all.addAll(desks.everything(here, now.plus(LONG_LEASES)));
      }
      all.add(new ClaimWebhookDeliveries(
          here, draw.keys, "last", now.plus(LONG_LEASES), Duration.ofSeconds(1), 100));
    }
    return all;
  }

  /** Of a queue, of a task, and of both. */
  private void foldsOfSome(Environment here, Instant now, Duration step, List<Object> all) {
    Instant from = FoldThroughput.beginOf(now.minus(LONG_LEASES), step);
    Instant until = now.plus(LONG_LEASES);
    model.records.minutes(here).limit(2).forEach(each -> {
      all.add(
          new FoldThroughput(here, from, until, step, FoldThroughput.By.TASK, each.queue(), null));
      all.add(new FoldThroughput(
          here, from, until, step, FoldThroughput.By.QUEUE, null, each.taskId()));
      all.add(new FoldThroughput(
          here, from, until, step, FoldThroughput.By.TASK, each.queue(), each.taskId()));
      all.add(new ListThroughput(here, from, until, each.queue(), each.taskId(), null, null));
    });
  }

  /** Of runs of all states that are like one in one thing, and in two. */
  private void countsOfSome(Environment here, List<Object> all) {
    model.runs(here).map(run -> run.record).limit(2).forEach(run -> {
      RunFilter queue = RunFilter.ALL.withQueues(List.of(run.queue()));
      all.add(new CountRuns(here, queue, 1_000));
      all.add(new CountRuns(here, queue.withTaskIds(List.of(run.taskId())), 1_000));
      all.add(new CountRuns(here, queue.withStatuses(Set.of(run.status())), 1));
      all.add(new CountRuns(
          here,
          RunFilter.ALL.withCreated(run.createdAt(), run.createdAt().plusNanos(1_000)),
          1_000));
    });
  }

  /** Of all, of a run and of a group, in one page and the first of several. */
  private void steps(Environment here, List<Object> all) {
    model.steps.all(here).findFirst().ifPresent(step -> {
      String group = step.request.group();
      all.add(new ListSteps(here, step.request.header().runId(), null, null, null));
      all.add(new ListSteps(here, null, group, null, null));
      model
          .steps
          .all(here)
          .map(each -> each.request.group())
          .distinct()
          .limit(3)
          .forEach(other ->
              all.add(new ListSteps(here, step.request.header().runId(), other, null, null)));
      all.add(new ListSteps(here, null, null, null, null));
      all.add(new ListSteps(here, null, null, 1, null));
      all.add(new ListSteps(here, null, null, 2, null));
      all.add(new ListStepGroups(here));
    });
  }

  /** By all that each of them has, and up to it. */
  private void actions(Environment here, List<Object> all) {
    model.records.actions(here).forEach(one -> {
      ActionFilter any = ActionFilter.ALL;
      Instant next = one.at().plusNanos(1_000);
      Stream.of(
              any.withActor(one.actor().id()),
              any.withAction(one.action()),
              any.withTarget(one.target()),
              any.withRecorded(one.at(), null),
              any.withRecorded(null, one.at()),
              new ActionFilter(one.actor().id(), one.action(), one.target(), one.at(), next))
          .forEach(filter -> all.add(new ListActions(here, filter, null, null)));
    });
  }

  private SignOfLife sign(Environment here, Instant now) {
    return new SignOfLife(
        here,
        new RuntimeProcess(
            worker(),
            draw.anyOf(draw.keys),
            draw.oneIn(2) ? "" : "1.0",
            draw.some(draw.keys),
            draw.queues().stream().map(QueuePolicy::queue).toList(),
            draw.some(draw.tasks),
            draw.some(draw.workers),
            draw.upTo(3),
            draw.upTo(3),
            draw.oneIn(3) ? draw.claimTime() : LONG_LEASES,
            now.minus(draw.shortTime())),
        now);
  }

  /** A queue that had a limit once is taken over by the scans of processes first, which name what it has now. */
  private TakeResumedRuns takeResumed(Environment here, Instant now) {
    List<String> unbounded = draw.unboundedQueues();
    return new TakeResumedRuns(
        here,
        draw.oneIn(4) ? draw.some(unbounded) : unbounded,
        token(),
        now,
        draw.claimTime(),
        draw.oneIn(2) ? Duration.ofNanos(1_000) : draw.claimTime(),
        1 + draw.upTo(draw.oneIn(4) ? 4 : 2));
  }

  /** What was taken, by the claim that took it mostly. */
  private Object finishResumed(Environment here, Instant now) {
    if (shown.resumed.isEmpty()) {
      return takeResumed(here, now);
    }
    Shown.Taken taken = shown.resumed.get(
        Math.max(0, shown.resumed.size() - 1 - (draw.oneIn(3) ? draw.upTo(3) : 0)));
    String token = draw.oneIn(6) ? draw.anyOf(shown.resumed).token() : taken.token();
    ResumedRuns runs = taken.runs();
    resumed = taken.environment();
    return new FinishResumedRuns(taken.environment(), token, runs);
  }

  private Object finishDeliveries(Environment here, Instant now) {
    if (shown.deliveries.isEmpty()) {
      return new ClaimWebhookDeliveries(here, draw.keys, token(), now, draw.claimTime(), 3);
    }
    Shown.Claimed one = draw.anyOf(shown.deliveries);
    Map<List<String>, FinishWebhookDeliveries.Outcome> outcomes = new LinkedHashMap<>();
    for (Shown.Claimed each : shown.deliveries) {
      if (each.environment().equals(one.environment())
          && (each.token().equals(one.token()) || draw.oneIn(4))) {
        WebhookDelivery delivery = each.delivery();
        outcomes.put(
            List.of(delivery.webhookId(), delivery.runId()),
            new FinishWebhookDeliveries.Outcome(
                delivery.webhookId(), delivery.runId(), draw.oneIn(2) ? draw.after(now) : null));
      }
    }
    return new FinishWebhookDeliveries(
        one.environment(), one.token(), List.copyOf(outcomes.values()));
  }

  /** Of many, where there are many; else some are given up first. */
  private Object redrive(Environment here, Instant now) {
    return givenUp(here).size() < 2 && draw.oneIn(2)
        ? rest.buryOutbox()
        : new RedriveOutbox(here, messagesOrNull(here), 1 + draw.upTo(3), now);
  }

  /** Those that were given up, or any; now and then with an id that is easily taken for a message's. */
  private @Nullable List<String> messagesOrNull(Environment here) {
    if (draw.oneIn(3)) {
      return null;
    }
    List<String> known = shown.messages.stream().map(ClaimedOutboxMessage::id).toList();
    List<String> givenUp = givenUp(here).stream().filter(known::contains).toList();
    return draw.some(givenUp.isEmpty() || draw.oneIn(4) ? known : givenUp).stream()
        .map(id -> draw.oneIn(6) ? Names.resembling(id) : id)
        .toList();
  }

  private List<String> givenUp(Environment here) {
    return model
        .runs(here)
        .flatMap(run -> run.messages.stream())
        .filter(message -> message.status == OutboxMessageStatus.DEAD_LETTERED)
        .map(message -> message.id)
        .toList();
  }

  /** About something that was counted, mostly. */
  private ListThroughput minutes(Environment here, Instant now) {
    List<ThroughputBucket> counted = model.records.minutes(here).toList();
    boolean isAny = counted.isEmpty() || draw.oneIn(3);
    ThroughputBucket one = isAny ? null : draw.anyOf(counted);
    return new ListThroughput(
        here,
        one == null ? minute(here, now) : one.minute(),
        draw.oneIn(2) ? draw.after(now) : minute(here, now).plusSeconds(60),
        draw.oneIn(2) ? one == null ? queue() : one.queue() : null,
        draw.oneIn(2) ? one == null ? draw.anyOf(draw.tasks) : one.taskId() : null,
        limit(),
        null);
  }

  /** Before which some action began, or the very moment. */
  private Instant afterAnAction(Environment here, Instant now) {
    List<Instant> begins = model.records.actions(here).map(each -> each.at()).toList();
    return begins.isEmpty() || draw.oneIn(3)
        ? old(now)
        : draw.anyOf(begins).plusNanos(draw.oneIn(2) ? 0 : 1_000);
  }

  /** One that most runs have, often. */
  private Map<String, String> tags(Environment here) {
    List<Map.Entry<String, String>> known =
        model.runs(here).flatMap(run -> run.tags().entrySet().stream()).toList();
    if (known.isEmpty() || draw.oneIn(3)) {
      return draw.someTags();
    }
    Map.Entry<String, String> one = draw.anyOf(known);
    return Map.of(one.getKey(), one.getValue());
  }

  /** That lives, mostly. */
  private String process(Environment here) {
    List<String> known =
        model.processes.known(here).map(each -> each.process().processId()).toList();
    return known.isEmpty() || draw.oneIn(4) ? worker() : draw.anyOf(known);
  }

  /** With which a minute begins that something was counted in, mostly. */
  private Instant minute(Environment here, Instant now) {
    List<Instant> minutes =
        model.records.minutes(here).map(ThroughputBucket::minute).toList();
    return minutes.isEmpty() || draw.oneIn(3) ? old(now) : draw.anyOf(minutes);
  }

  /** A moment at which a worker holds all its leases, where it has some. */
  private Instant beforeItsLeasesEnd(Environment here, String worker, Instant now) {
    return model
        .runs(here)
        .flatMap(run -> Stream.ofNullable(run.record.lease()))
        .filter(lease -> lease.workerId().equals(worker))
        .map(Lease::expiresAt)
        .min(Comparator.naturalOrder())
        .map(end -> end.minusNanos(1_000))
        .orElse(now);
  }

  private List<ThroughputBucket> buckets(Instant now) {
    Map<List<Object>, ThroughputBucket> buckets = new LinkedHashMap<>();
    for (int more = 1 + draw.upTo(3); more > 0; more--) {
      List<Long> numbers = LongStream.generate(() -> draw.upTo(3))
          .limit(draw.oneIn(2) ? ThroughputBucket.NUMBERS : draw.upTo(ThroughputBucket.NUMBERS))
          .boxed()
          .toList();
      ThroughputBucket bucket = ThroughputBucket.of(
          now.minus(Duration.ofMinutes(draw.upTo(3))),
          queue(),
          draw.anyOf(draw.tasks),
          draw.oneIn(8) ? List.of(1L << 52) : numbers);
      buckets.put(List.of(bucket.minute(), bucket.queue(), bucket.taskId()), bucket);
    }
    return List.copyOf(buckets.values());
  }

  private List<LogLine> lines(Environment here, Instant now) {
    return IntStream.rangeClosed(0, draw.upTo(4))
        .mapToObj(each -> new LogLine(
            runId(here),
            1 + draw.upTo(draw.oneIn(2) ? 2 : 12),
            1 + draw.upTo(draw.oneIn(2) ? 3 : 12),
            now.minus(draw.shortTime()),
            draw.anyOf(List.of(LogLevel.values())),
            draw.anyOf(draw.keys),
            draw.oneIn(2) ? Map.of() : Map.of("a", draw.anyOf(draw.keys), "A", "")))
        .toList();
  }

  private Map<String, EndFilter> webhooks() {
    Map<String, EndFilter> webhooks = new LinkedHashMap<>();
    for (String id : draw.some(draw.keys)) {
      webhooks.put(id, draw.oneIn(3) ? filter() : EndFilter.ALL);
    }
    return webhooks;
  }

  private EndFilter filter() {
    List<RunStatus> ends = List.of(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED);
    return new EndFilter(
        draw.oneIn(2) ? Set.of() : Set.copyOf(draw.some(ends)),
        draw.oneIn(2) ? List.of() : draw.some(draw.tasks),
        draw.oneIn(2)
            ? List.of()
            : draw.some(draw.queues()).stream().map(QueuePolicy::queue).toList(),
        draw.oneIn(2) ? Map.of() : draw.someTags());
  }

  private RegisterSchedules register(Environment here, Instant now) {
    List<RegisterSchedules.Definition> told = draw.some(schedules()).stream()
        .limit(4)
        .map(name -> new RegisterSchedules.Definition(
            name.taskId(), name.scheduleId(), draw.anyOf(DEFINITIONS)))
        .toList();
    return new RegisterSchedules(here, told, now, draw.claimTime());
  }

  /** Where not all can go, of one schedule id alone: between ids no order is promised. */
  private PruneOccurrences pruneOccurrences(Environment here, Instant now) {
    List<Instant> completions = model.schedules.completions(here).sorted().toList();
    Instant cutoff = completions.isEmpty() || draw.oneIn(3)
        ? old(now)
        : (draw.oneIn(2) ? draw.anyOf(completions) : completions.get(completions.size() - 1))
            .plusNanos(draw.oneIn(2) ? 0 : 1_000);
    PruneOccurrences all = new PruneOccurrences(here, cutoff, 1_000);
    List<String> ids =
        model.schedules.removable(all).map(each -> each.scheduleId()).toList();
    if (ids.stream().distinct().count() > 1) {
      return all;
    }
    return new PruneOccurrences(
        here, all.olderThan(), ids.size() > 1 && draw.oneIn(2) ? ids.size() : 1 + draw.upTo(2));
  }

  /** What follows a page, asked for as that was, or in one thing otherwise. */
  private Object otherwise(Object next) {
    return draw.oneIn(8) ? Spoiler.spoil(next, draw.random()) : next;
  }

  private Instant old(Instant now) {
    return draw.oneIn(2) ? now : now.minus(draw.shortTime());
  }

  private List<ScheduleName> schedules() {
    List<ScheduleName> all = new ArrayList<>();
    draw.tasks.forEach(
        task -> draw.tasks.forEach(schedule -> all.add(new ScheduleName(task, schedule))));
    return draw.inAnyOrder(all);
  }

  /** One that is known, mostly. */
  private ScheduleName schedule() {
    List<ScheduleName> known = model.schedules.names().toList();
    return known.isEmpty() || draw.oneIn(4)
        ? new ScheduleName(draw.anyOf(draw.tasks), draw.anyOf(draw.tasks))
        : draw.anyOf(known);
  }

  private ScheduleName pausedSchedule(Environment here) {
    List<ScheduleName> paused = model.schedules.paused(here).toList();
    return paused.isEmpty() || draw.oneIn(4) ? schedule() : draw.anyOf(paused);
  }

  private Actor actor() {
    return draw.oneIn(3)
        ? draw.anyOf(List.of(new Actor(Actor.Type.SYSTEM, null), Actor.operator("")))
        : Actor.operator(worker());
  }

  private String action() {
    return draw.anyOf(draw.actions);
  }

  /** What is done goes with the id: a draw more would change all that is drawn after it. */
  private RecordAction record(Environment here, Instant now) {
    String id = action();
    String done = id.hashCode() % 2 == 0 ? "queue.pause" : "queue.resume";
    return new RecordAction(here, id, actor(), done, textOrNull(), textOrNull(), now);
  }

  private String worker() {
    return draw.anyOf(draw.workers);
  }

  private String queue() {
    return draw.anyOf(draw.queues()).queue();
  }

  /** In which a run waits, mostly. */
  private String queueOfRuns(Environment here) {
    List<String> queues = model
        .runs(here)
        .filter(run -> run.record.status() == RunStatus.QUEUED)
        .map(run -> run.record.queue())
        .filter(queue -> !draw.policy(queue).isBounded() || draw.oneIn(4))
        .toList();
    return queues.isEmpty() || draw.oneIn(4) ? queue() : draw.anyOf(queues);
  }

  private String pausedQueue(Environment here) {
    List<String> paused = model.pauses.list(new ListPausedQueues(here)).stream()
        .map(each -> each.queue())
        .toList();
    return paused.isEmpty() || draw.oneIn(4) ? queue() : draw.anyOf(paused);
  }

  private String token() {
    return draw.anyOf(List.of("t", "T")) + draw.unique();
  }

  /** Of a run that is there, mostly. */
  private String runId(Environment here) {
    List<String> ids = model.runs(here).map(run -> run.record.id()).toList();
    return ids.isEmpty() || draw.oneIn(4) ? draw.anyOf(draw.runIds) : draw.anyOf(ids);
  }

  private @Nullable String textOrNull() {
    return draw.oneIn(2) ? draw.anyOf(draw.keys) : null;
  }

  private OutboxMessageStatus knownStatus() {
    return draw.anyOf(List.of(
        OutboxMessageStatus.CLAIMED,
        OutboxMessageStatus.FAILED,
        OutboxMessageStatus.DEAD_LETTERED,
        OutboxMessageStatus.DEAD_LETTERED));
  }

  private @Nullable Integer limit() {
    return draw.oneIn(4) ? null : 1 + draw.upTo(2);
  }
}
