package dev.runlane.runtime.alert;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.alert.AlertFinding;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.GetSample;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.operator.throughput.FoldThroughput;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.Environment;
import dev.runlane.storage.read.Page;
import dev.runlane.timing.Durations;
import dev.runlane.timing.Ids;
import dev.runlane.timing.fire.FireTimes;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What each kind of rule finds, from what the storage keeps for operators: no run is read. */
final class AlertConditions {
  private static final int PAGE = 200;
  private static final int MOST_ROWS = 20_000;
  private static final int MOST_FOUND = 100;
  private static final int FEWEST_ENDS = 10;
  private static final String SCHEDULER = "scheduler"; // a role, as processes tell it
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** A process adds a minute once it has ended, at the latest a minute later: a window reaches back so far besides. */
  private static final Duration COUNTED_WITHIN = Duration.ofMinutes(2);

  private static final Duration LONG_WINDOW = Duration.ofHours(2);
  private static final Duration COARSE_STEP = Duration.ofMinutes(15);

  private final OperatorStore store;
  private final Environment environment;
  private final Ids ids;

  AlertConditions(OperatorStore store, Environment environment, Ids ids) {
    this.store = store;
    this.environment = environment;
    this.ids = ids;
  }

  /** At most {@link #MOST_FOUND} subjects, each once. */
  Future<List<AlertFinding>> find(AlertRule rule, AlertRules.Pass pass, Instant now) {
    return switch (rule.kind()) {
      case FAILURE_RATE -> failing(rule, now);
      case OLDEST_DUE -> sample(sample -> late(rule, sample, pass, now));
      case DEAD_LETTERS -> sample(sample -> deadLetters(rule, sample));
      case WORKER_GONE -> gone(rule, pass, now);
      case SCHEDULE_MISSED -> missed(rule, pass, now);
    };
  }

  private Future<List<AlertFinding>> failing(AlertRule rule, Instant now) {
    Duration step = rule.window().compareTo(LONG_WINDOW) < 0 ? MINUTE : COARSE_STEP;
    Instant from = FoldThroughput.beginOf(now.minus(rule.window()).minus(COUNTED_WITHIN), step);
    return store
        .foldThroughput(new FoldThroughput(
            environment, from, now, step, FoldThroughput.By.TASK, rule.queue(), rule.taskId()))
        .map(folded -> {
          Map<String, ThroughputBucket> tasks = new TreeMap<>();
          folded.data().forEach(each -> tasks.merge(each.taskId(), each, ThroughputBucket::plus));
          return tasks.values().stream().flatMap(each -> failing(rule, each)).toList();
        })
        .map(AlertConditions::cut);
  }

  private Stream<AlertFinding> failing(AlertRule rule, ThroughputBucket task) {
    long ended = task.succeeded() + task.failed();
    return ended < FEWEST_ENDS || (double) task.failed() / ended < rule.threshold()
        ? Stream.empty()
        : Stream.of(finding(
            task.taskId(),
            "%s of %s runs of task %s that ended in the last %s failed"
                .formatted(task.failed(), ended, task.taskId(), Durations.format(rule.window()))));
  }

  private Future<List<AlertFinding>> sample(Function<DepthSample, Stream<AlertFinding>> findings) {
    return store
        .latestSample(new GetSample(environment))
        .map(found -> found.map(findings).map(Stream::toList).orElse(List.of()))
        .map(AlertConditions::cut);
  }

  /**
   * What waited when the sample was taken, so long as there is a newer one every minute: by now it may have started,
   * and an alert of what waits for a moment would open between two samples and be resolved by the next. Beside
   * processes of an older release it is as they do, so that all of a fleet see the same.
   */
  private Stream<AlertFinding> late(
      AlertRule rule, DepthSample sample, AlertRules.Pass pass, Instant now) {
    boolean isFresh = pass != AlertRules.Pass.BESIDE_OLDER
        && sample.takenAt().plus(COUNTED_WITHIN).isAfter(now);
    Instant at = isFresh ? sample.takenAt() : now;
    return sample.queues().stream()
        .filter(each -> rule.queue() == null || rule.queue().equals(each.queue()))
        .filter(each -> isLate(rule, each, at))
        .map(each -> finding(
            each.queue(),
            "a run of queue %s has been due since %s; %s wait"
                .formatted(each.queue(), each.oldestDueAt(), each.waiting())));
  }

  private static boolean isLate(AlertRule rule, QueueDepth depth, Instant at) {
    return depth.oldestDueAt() != null
        && !depth.oldestDueAt().plus(seconds(rule)).isAfter(at);
  }

  private Stream<AlertFinding> deadLetters(AlertRule rule, DepthSample sample) {
    long given = sample.outbox().deadLettered();
    return given > rule.threshold()
        ? Stream.of(
            finding("outbox", "%s wakeups were given up and are in the outbox".formatted(given)))
        : Stream.empty();
  }

  private Future<List<AlertFinding>> gone(AlertRule rule, AlertRules.Pass pass, Instant now) {
    return processes()
        .map(processes -> processes.stream()
            .filter(each -> isGone(rule, each, pass, now))
            .map(each -> finding(
                each.process().processId(),
                "process %s of host %s was seen last at %s, with %s runs"
                    .formatted(
                        each.process().processId(),
                        each.process().host(),
                        each.lastSeen(),
                        each.process().running())))
            .toList())
        .map(AlertConditions::cut);
  }

  private Future<List<KnownProcess>> processes() {
    return all(cursor -> store.listProcesses(new ListProcesses(environment, PAGE, cursor)));
  }

  /** For the window from when on it is wrong; an older release ends it a window after the process was gone. */
  private static boolean isGone(
      AlertRule rule, KnownProcess known, AlertRules.Pass pass, Instant now) {
    Instant goneSince = known.goneFrom();
    Instant wrongFrom = goneSince.plus(seconds(rule));
    Instant windowFrom = pass == AlertRules.Pass.BESIDE_OLDER ? goneSince : wrongFrom;
    boolean serves = rule.queue() == null || known.process().queues().contains(rule.queue());
    return serves && !wrongFrom.isAfter(now) && windowFrom.plus(rule.window()).isAfter(now);
  }

  private Future<List<AlertFinding>> missed(AlertRule rule, AlertRules.Pass pass, Instant now) {
    return all(cursor -> store.listSchedules(new ListSchedules(environment, PAGE, cursor)))
        .compose(schedules -> registeredUntil(schedules, pass, now).map(until -> schedules.stream()
            .filter(each ->
                rule.taskId() == null || rule.taskId().equals(each.name().taskId()))
            .flatMap(each -> missed(rule, each, until, now))
            .toList()))
        .map(AlertConditions::cut);
  }

  /**
   * When somebody registered schedules last, or a scheduler lived that may have none: what was not registered for a day
   * by then has left the program. While all schedulers are gone, no more does. An older release goes by now.
   */
  private Future<Instant> registeredUntil(
      List<ScheduleState> schedules, AlertRules.Pass pass, Instant now) {
    if (pass == AlertRules.Pass.BESIDE_OLDER) {
      return Future.succeededFuture(now);
    }
    return processes().map(processes -> Stream.concat(
            schedules.stream().map(ScheduleState::lastSeen),
            processes.stream()
                .filter(each -> each.process().roles().contains(SCHEDULER))
                .map(KnownProcess::lastSeen))
        .max(Instant::compareTo)
        .orElse(now));
  }

  private Stream<AlertFinding> missed(
      AlertRule rule, ScheduleState schedule, Instant registeredUntil, Instant now) {
    return FireTimes.ofDefinition(schedule.definition())
        .flatMap(times -> schedule.missedFire(times, seconds(rule), now, registeredUntil))
        .map(fire -> finding(
            schedule.name().taskId() + "/" + schedule.name().scheduleId(),
            "schedule %s of task %s made no run of its fire at %s"
                .formatted(schedule.name().scheduleId(), schedule.name().taskId(), fire)))
        .stream();
  }

  private static Duration seconds(AlertRule rule) {
    return Duration.ofMillis(Math.round(rule.threshold() * 1_000));
  }

  private AlertFinding finding(String subject, String text) {
    return new AlertFinding(ids.token(), subject, text);
  }

  private static List<AlertFinding> cut(List<AlertFinding> found) {
    return found.size() <= MOST_FOUND ? found : found.subList(0, MOST_FOUND);
  }

  /** All pages, but for what is behind {@link #MOST_ROWS}. */
  static <T> Future<List<T>> all(Function<@Nullable String, Future<Page<T>>> list) {
    return rest(list, new ArrayList<>(), null);
  }

  private static <T> Future<List<T>> rest(
      Function<@Nullable String, Future<Page<T>>> list, List<T> found, @Nullable String cursor) {
    return list.apply(cursor).compose(page -> {
      found.addAll(page.data());
      return page.nextCursor() == null || found.size() >= MOST_ROWS
          ? Future.succeededFuture(found)
          : rest(list, found, page.nextCursor());
    });
  }
}
