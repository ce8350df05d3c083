package dev.runlane.conformance.model;

import dev.runlane.operator.schedule.FindSchedules;
import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.PruneOccurrences;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about schedules, their pauses, and the removal of old fires. */
public final class ModelSchedules {
  private static final Comparator<ScheduleName> BY_NAME = Comparator.comparing(
          ScheduleName::taskId, Identifiers.ORDER)
      .thenComparing(ScheduleName::scheduleId, Identifiers.ORDER);

  private final StorageModel model;
  private final ModelPages pages;
  private final List<Schedule> schedules = new ArrayList<>();
  private final Map<List<Object>, Instant> removed =
      new HashMap<>(); // the latest fire, by environment and schedule id

  public ModelSchedules(StorageModel model, Names names) {
    this.model = model;
    this.pages = new ModelPages(names);
  }

  /** In the order told of, since of several new schedules of one id the first gets the fires that are nobody's. */
  public List<KnownSchedule> register(RegisterSchedules command) {
    CommandChecks.check(command);
    return command.schedules().stream().map(told -> register(command, told)).toList();
  }

  private KnownSchedule register(RegisterSchedules command, RegisterSchedules.Definition told) {
    Environment environment = command.environment();
    ScheduleName name = new ScheduleName(told.taskId(), told.scheduleId());
    Schedule schedule = find(environment, name).orElse(null);
    Instant countsFrom = command.now();
    if (schedule == null) {
      countsFrom = beforeTheEarliest(environment, name, command.now());
      schedule = new Schedule(environment, name, command.now());
      schedules.add(schedule);
    }
    Definition known = schedule.definitions.get(told.definition());
    if (known == null) {
      known = new Definition(countsFrom, command.now());
      schedule.definitions.put(told.definition(), known);
    } else {
      if (schedule.isEditBack(known, command.now(), command.goneAfter())) {
        known.countsFrom = command.now();
      }
      known.lastSeen = later(known.lastSeen, command.now());
    }
    return new KnownSchedule(
        name.taskId(),
        name.scheduleId(),
        told.definition(),
        schedule.firstSeen,
        known.countsFrom,
        schedule.lastFire);
  }

  /** Those fires are a new schedule's that name its task, or whose run does, or that nobody else can claim. */
  private Instant beforeTheEarliest(Environment environment, ScheduleName name, Instant now) {
    boolean isFirstOfItsId = ofId(environment, name.scheduleId()).findAny().isEmpty();
    return model
        .occurrences
        .of(environment, name.scheduleId())
        .filter(fire -> taskOf(environment, fire).map(name.taskId()::equals).orElse(isFirstOfItsId))
        .map(fire -> fire.fireAt().minusNanos(1_000))
        .filter(now::isAfter)
        .min(Comparator.naturalOrder())
        .orElse(now);
  }

  private Optional<String> taskOf(Environment environment, ScheduleOccurrence fire) {
    return Optional.ofNullable(fire.taskId()).or(() -> fire.runIds().stream()
        .limit(1)
        .flatMap(run -> model.find(environment, run).stream())
        .map(run -> run.record.taskId())
        .findFirst());
  }

  /** A fire was completed. */
  void completed(CompleteScheduleOccurrence command, ScheduleOccurrence fire) {
    if (command.taskId() != null) {
      find(command.environment(), new ScheduleName(command.taskId(), fire.scheduleId()))
          .ifPresent(schedule -> schedule.lastFire =
              schedule.lastFire == null ? fire.fireAt() : later(schedule.lastFire, fire.fireAt()));
    }
  }

  /** What was removed stays over. */
  boolean isOver(ClaimScheduleOccurrence command) {
    Instant through = removed.get(List.of(command.environment(), command.scheduleId()));
    return through != null && !command.fireAt().isAfter(through);
  }

  /** The earliest first; of several schedule ids, where the limit does not let all go, no order is promised. */
  public int prune(PruneOccurrences command) {
    CommandChecks.check(command);
    List<ScheduleOccurrence> old = removable(command)
        .sorted(Comparator.comparing(ScheduleOccurrence::fireAt))
        .limit(command.limit())
        .toList();
    for (ScheduleOccurrence each : old) {
      model.occurrences.remove(command.environment(), each.occurrenceId());
      removed.merge(
          List.of(command.environment(), each.scheduleId()), each.fireAt(), ModelSchedules::later);
    }
    return old.size();
  }

  /** What a prune may remove. */
  public Stream<ScheduleOccurrence> removable(PruneOccurrences command) {
    return schedules.stream()
        .filter(each -> each.environment.equals(command.environment()))
        .map(each -> each.name.scheduleId())
        .distinct()
        .flatMap(id -> model.occurrences.completed(command.environment(), id).entrySet().stream()
            .filter(each -> each.getValue().isBefore(command.olderThan()))
            .map(Map.Entry::getKey)
            .filter(each -> each.fireAt().isBefore(command.olderThan())
                && each.fireAt()
                    .isBefore(everybodyHasPassed(command.environment(), id, command.olderThan()))));
  }

  /** A schedule that is paused, disabled, or told of by nobody for so long holds nothing back while another goes on. */
  private Instant everybodyHasPassed(Environment environment, String id, Instant since) {
    Predicate<Schedule> isAlive = schedule -> schedule.pause == null
        && schedule.definitions.entrySet().stream()
            .filter(each -> !each.getKey().equals(RegisterSchedules.Definition.DISABLED))
            .anyMatch(each -> !each.getValue().lastSeen.isBefore(since));
    boolean anyAlive = ofId(environment, id).anyMatch(isAlive);
    return ofId(environment, id)
        .filter(schedule -> !anyAlive || isAlive.test(schedule))
        .map(Schedule::passed)
        .min(Comparator.naturalOrder())
        .orElse(Instant.MIN);
  }

  public Page<ScheduleState> list(ListSchedules query) {
    OperatorChecks.check(query);
    return pages.page(
        List.of(query.environment()),
        schedules.stream()
            .filter(each -> each.environment.equals(query.environment()))
            .map(Schedule::state),
        Comparator.comparing(ScheduleState::name, BY_NAME),
        query.limit(),
        query.cursor());
  }

  public List<ScheduleState> find(FindSchedules query) {
    OperatorChecks.check(query);
    return schedules.stream()
        .filter(each ->
            each.environment.equals(query.environment()) && query.names().contains(each.name))
        .map(Schedule::state)
        .sorted(Comparator.comparing(ScheduleState::name, BY_NAME))
        .toList();
  }

  /** Of all that are known, in any environment. */
  public Stream<ScheduleName> names() {
    return schedules.stream().map(each -> each.name);
  }

  /** Of those that are paused. */
  public Stream<ScheduleName> paused(Environment environment) {
    return schedules.stream()
        .filter(each -> each.environment.equals(environment) && each.pause != null)
        .map(each -> each.name);
  }

  /** When occurrences of an environment were completed. */
  public Stream<Instant> completions(Environment environment) {
    return names()
        .map(ScheduleName::scheduleId)
        .distinct()
        .flatMap(id -> model.occurrences.completed(environment, id).values().stream());
  }

  public boolean pause(PauseSchedule command) {
    OperatorChecks.check(command);
    Schedule schedule = require(command.environment(), command.name());
    boolean runs = schedule.pause == null;
    if (runs) {
      schedule.pause = new SchedulePause(command.actor(), command.reason(), command.now());
    }
    return runs;
  }

  public boolean resume(ResumeSchedule command) {
    OperatorChecks.check(command);
    Schedule schedule = require(command.environment(), command.name());
    boolean isPaused = schedule.pause != null;
    if (isPaused) {
      schedule.pause = null;
      schedule.resumedAt = command.now();
      schedule
          .definitions
          .values()
          .forEach(each -> each.countsFrom = later(each.countsFrom, command.now()));
    }
    return isPaused;
  }

  private Schedule require(Environment environment, ScheduleName name) {
    return find(environment, name)
        .orElseThrow(() -> RunlaneException.of(ErrorCode.SCHEDULE_NOT_FOUND, "says the model"));
  }

  private Optional<Schedule> find(Environment environment, ScheduleName name) {
    return schedules.stream()
        .filter(each -> each.environment.equals(environment) && each.name.equals(name))
        .findFirst();
  }

  private Stream<Schedule> ofId(Environment environment, String id) {
    return schedules.stream()
        .filter(each ->
            each.environment.equals(environment) && each.name.scheduleId().equals(id));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }

  private static final class Schedule {
    final Environment environment;
    final ScheduleName name;
    final Instant firstSeen;
    final Map<String, Definition> definitions = new HashMap<>();

    @Nullable
    Instant lastFire;

    @Nullable
    Instant resumedAt;

    @Nullable
    SchedulePause pause;

    Schedule(Environment environment, ScheduleName name, Instant firstSeen) {
      this.environment = environment;
      this.name = name;
      this.firstSeen = firstSeen;
    }

    boolean isEditBack(Definition known, Instant now, Duration goneAfter) {
      return !known.lastSeen.plus(goneAfter).isAfter(now)
          && definitions.values().stream()
              .anyMatch(other -> other.lastSeen.isAfter(known.lastSeen));
    }

    Map.Entry<String, Definition> last() {
      return definitions.entrySet().stream()
          .max(
              Comparator.comparing((Map.Entry<String, Definition> each) -> each.getValue().lastSeen)
                  .thenComparing(Map.Entry::getKey, Identifiers.ORDER))
          .orElseThrow();
    }

    /** Up to where it has fired; before its first fire, from where it counts. */
    Instant passed() {
      return lastFire != null
          ? lastFire
          : definitions.values().stream()
              .map(each -> each.countsFrom)
              .min(Comparator.naturalOrder())
              .orElseThrow();
    }

    ScheduleState state() {
      Definition last = last().getValue();
      return new ScheduleState(
          name,
          last().getKey(),
          firstSeen,
          last.lastSeen,
          last.countsFrom,
          lastFire,
          resumedAt,
          pause);
    }
  }

  private static final class Definition {
    Instant countsFrom;
    Instant lastSeen;

    Definition(Instant countsFrom, Instant lastSeen) {
      this.countsFrom = countsFrom;
      this.lastSeen = lastSeen;
    }
  }
}
