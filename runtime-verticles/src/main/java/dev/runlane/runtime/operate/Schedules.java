package dev.runlane.runtime.operate;

import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.create.NewRuns;
import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.RegisteredSchedule;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.timing.Ids;
import dev.runlane.timing.fire.FireTimes;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of an environment: those that any process registered, whichever tasks this runtime has. What changes
 * something is recorded in the log of actions, like those of {@link Operator}. Every method fails with {@code
 * CapabilityUnsupported} where the storage keeps nothing for operators or claims no schedule occurrences.
 */
public final class Schedules {
  private static final Duration MISSED_AFTER = Duration.ofMinutes(2);

  private final RuntimeContext context;
  private final Operator operator;
  private final NewRuns newRuns;
  private final Triggers triggers;

  /** Those of one runtime, which makes it. */
  public Schedules(RuntimeContext context, Operator operator, NewRuns newRuns, Triggers triggers) {
    this.context = context;
    this.operator = operator;
    this.newRuns = newRuns;
    this.triggers = triggers;
  }

  /**
   * A page of the schedules, by task and schedule id, those too that no process has any more.
   *
   * @param limit rows wanted; null: 50; more than 200 is cut to 200
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<ListedSchedule>> list(@Nullable Integer limit, @Nullable String cursor) {
    return operator
        .asking(
            store -> store.listSchedules(new ListSchedules(context.environment(), limit, cursor)))
        .map(
            page -> new Page<>(page.data().stream().map(this::listed).toList(), page.nextCursor()));
  }

  /** One schedule; empty where no process ever registered it. */
  public Future<Optional<ListedSchedule>> get(String taskId, String scheduleId) {
    ScheduleName name = new ScheduleName(taskId, scheduleId);
    return operator
        .asking(
            store -> store.findSchedules(new FindSchedules(context.environment(), List.of(name))))
        .map(found -> found.stream().findFirst().map(this::listed));
  }

  /**
   * The runs that the latest fires of these schedules made, by schedule; none of one that never fired, or whose run was
   * pruned or cannot be read. Runs that were fired by hand are none of them.
   *
   * @param listed at most 1 000 schedules
   */
  public Future<Map<ScheduleName, RunSummary>> lastRuns(List<ListedSchedule> listed) {
    List<String> wanted =
        listed.stream().flatMap(this::runIdsOfLastFire).distinct().toList();
    if (wanted.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    return ReadableRuns.summaries(context, wanted).map(runs -> {
      Map<ScheduleName, RunSummary> found = new HashMap<>();
      listed.forEach(each -> runIdsOfLastFire(each)
          .map(runs::get)
          .filter(run -> run != null && run.taskId().equals(each.state().name().taskId()))
          .forEach(run -> found.put(each.state().name(), run)));
      return found;
    });
  }

  /** The id that two schedules of one id share, and the one that names the task: one of them has the run. */
  private Stream<String> runIdsOfLastFire(ListedSchedule schedule) {
    Instant fire = schedule.state().lastFire();
    if (fire == null) {
      return Stream.empty();
    }
    String environment = context.environment().environmentKey();
    ScheduleName name = schedule.state().name();
    return Stream.of(
        Ids.scheduleRunId(environment, name.scheduleId(), fire.toString()),
        Ids.scheduleRunId(environment, name.taskId(), name.scheduleId(), fire.toString()));
  }

  /**
   * Pauses a schedule: from then on no process makes a run of a fire that it begins with after, except one of a release
   * that knows no pauses. A run that a process is making at that moment is still made. True when it was not paused.
   * Fails with {@code ScheduleNotFound} for one that no process ever registered.
   */
  public Future<Boolean> pause(String taskId, String scheduleId, RunActionOptions options) {
    RunActionOptions given = new RunActionOptions(options);
    ScheduleName name = new ScheduleName(taskId, scheduleId);
    return operator.recorded(
        "schedule.pause",
        target(name),
        given,
        store -> store.pauseSchedule(new PauseSchedule(
            context.environment(),
            name,
            given.getActor(),
            given.getReason().orElse(null),
            context.storageTime())),
        changed -> changed ? "paused" : "was paused already");
  }

  /**
   * Resumes a schedule. Fires up to now that made no run yet never do, whatever the schedule does about missed ones.
   * True when it was paused. Fails with {@code ScheduleNotFound} for one that no process ever registered.
   */
  public Future<Boolean> resume(String taskId, String scheduleId, RunActionOptions options) {
    ScheduleName name = new ScheduleName(taskId, scheduleId);
    return operator.recorded(
        "schedule.resume",
        target(name),
        new RunActionOptions(options),
        store -> store.resumeSchedule(
            new ResumeSchedule(context.environment(), name, context.storageTime())),
        changed -> changed ? "resumed" : "was not paused");
  }

  /**
   * Triggers the task of a schedule now with the schedule's payload and queue, paused or not; it is no fire of the
   * schedule, whose next one comes as it would. The task's keys apply as they do to fires; the reason stands with the
   * details of the run's creation. A call whose answer was lost may be sent again and then makes another run, unless
   * the task has such keys. Fails with {@code TaskNotFound} where this runtime does not have the task, and with {@code
   * ScheduleNotFound} where its task has no such schedule.
   */
  public Future<TriggerResult> fire(String taskId, String scheduleId, RunActionOptions options) {
    RunActionOptions given = new RunActionOptions(options);
    ScheduleName name = new ScheduleName(taskId, scheduleId);
    return Future.<Void>succeededFuture().compose(start -> {
      context.registry().requireTask(taskId);
      RegisteredSchedule schedule = registered(name)
          .orElseThrow(() -> RunlaneException.of(
              ErrorCode.SCHEDULE_NOT_FOUND,
              "task %s has no schedule %s in this runtime",
              taskId,
              scheduleId));
      return operator.recorded(
          "schedule.fire",
          target(name),
          given,
          store -> create(schedule, given),
          result -> result.outcome().value() + " " + result.run().id());
    });
  }

  private Future<TriggerResult> create(RegisteredSchedule schedule, RunActionOptions given) {
    TriggerOptions options =
        new TriggerOptions().setActor(given.getActor()).setQueue(schedule.queue());
    NewRuns.withReason(given).ifPresent(options::setMeta);
    given.getTraceCarrier().ifPresent(options::setTraceCarrier);
    return triggers.create(newRuns.firedByHand(schedule, options), options);
  }

  private ListedSchedule listed(ScheduleState state) {
    Optional<FireTimes> times = registered(state.name())
        .filter(each -> each.definition().definition().equals(state.definition()))
        .filter(each -> each.schedule().isEnabled())
        .map(each -> each.schedule().fireTimes())
        .or(() -> FireTimes.ofDefinition(state.definition()));
    ZoneId zone = times.flatMap(FireTimes::zone).orElse(null);
    Instant now = context.clock().now();
    return new ListedSchedule(
        state,
        zone,
        times.flatMap(each -> each.next(now)).orElse(null),
        times.flatMap(each -> state.missedFire(each, MISSED_AFTER, now)).orElse(null));
  }

  private Optional<RegisteredSchedule> registered(ScheduleName name) {
    return context.registry().schedules().stream()
        .filter(each -> each.key().taskId().equals(name.taskId())
            && each.key().scheduleId().equals(name.scheduleId()))
        .findFirst();
  }

  private static String target(ScheduleName name) {
    return name.taskId() + "/" + name.scheduleId();
  }
}
