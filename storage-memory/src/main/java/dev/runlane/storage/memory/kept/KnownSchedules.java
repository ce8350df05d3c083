package dev.runlane.storage.memory.kept;

import dev.runlane.operator.schedule.ListSchedules;
import dev.runlane.operator.schedule.PauseSchedule;
import dev.runlane.operator.schedule.ResumeSchedule;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.run.Runs;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.schedule.KnownSchedule;
import dev.runlane.storage.schedule.RegisterSchedules;
import dev.runlane.storage.schedule.ScheduleOccurrence;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The schedules that somebody has told of, in one environment. */
public final class KnownSchedules {
  private final NavigableMap<ScheduleName, Remembered> schedules =
      new TreeMap<>(Comparator.comparing(ScheduleName::taskId, Identifiers.ORDER)
          .thenComparing(ScheduleName::scheduleId, Identifiers.ORDER));
  private final Occurrences occurrences;
  private final Runs runs;

  public KnownSchedules(Occurrences occurrences, Runs runs) {
    this.occurrences = occurrences;
    this.runs = runs;
  }

  public List<KnownSchedule> register(RegisterSchedules command) {
    return command.schedules().stream()
        .map(told -> register(told, command.now(), command.goneAfter()))
        .toList();
  }

  private KnownSchedule register(
      RegisterSchedules.Definition told, Instant now, Duration goneAfter) {
    ScheduleName key = new ScheduleName(told.taskId(), told.scheduleId());
    Remembered known = schedules.get(key);
    Instant since = known == null ? countedFrom(told, now) : now;
    Remembered schedule = known == null ? new Remembered(now, told.scheduleId()) : known;
    schedules.put(key, schedule);
    Definition before = schedule.definitions.get(told.definition());
    Instant countsFrom =
        before == null || schedule.isEditBack(before, now, goneAfter) ? since : before.countsFrom();
    Instant lastSeen = before == null || before.lastSeen().isBefore(now) ? now : before.lastSeen();
    schedule.definitions.put(told.definition(), new Definition(countsFrom, lastSeen));
    return new KnownSchedule(
        told.taskId(),
        told.scheduleId(),
        told.definition(),
        schedule.firstSeen,
        countsFrom,
        schedule.lastFire);
  }

  /** An occurrence was completed. */
  public void completed(ScheduleOccurrence occurrence) {
    String taskId = occurrence.taskId();
    Remembered schedule =
        taskId == null ? null : schedules.get(new ScheduleName(taskId, occurrence.scheduleId()));
    if (schedule != null
        && (schedule.lastFire == null || schedule.lastFire.isBefore(occurrence.fireAt()))) {
      schedule.lastFire = occurrence.fireAt();
    }
  }

  /**
   * The latest fire that every schedule of this id has completed which makes fires, as far as somebody told since then,
   * or every schedule of the id where there is none. Empty where nobody ever told of any.
   */
  public Optional<Instant> latest(String scheduleId, Instant toldSince) {
    List<Remembered> all = schedules.values().stream()
        .filter(schedule -> schedule.scheduleId.equals(scheduleId))
        .toList();
    List<Remembered> living =
        all.stream().filter(schedule -> schedule.makesFires(toldSince)).toList();
    return (living.isEmpty() ? all : living)
        .stream().map(Remembered::latest).min(Comparator.naturalOrder());
  }

  public Page<ScheduleState> list(ListSchedules query) {
    Cursors cursors = Cursors.of(query);
    NavigableMap<ScheduleName, Remembered> behind = cursors
        .decode(query.cursor(), 2)
        .map(after -> schedules.tailMap(new ScheduleName(after.get(0), after.get(1)), false))
        .orElse(schedules);
    return Pages.of(
        behind.entrySet().stream().map(each -> each.getValue().state(each.getKey())),
        query.limit(),
        last -> cursors.encode(last.name().taskId(), last.name().scheduleId()));
  }

  public List<ScheduleState> find(List<ScheduleName> names) {
    Set<ScheduleName> wanted = new HashSet<>(names);
    return schedules.entrySet().stream()
        .filter(each -> wanted.contains(each.getKey()))
        .map(each -> each.getValue().state(each.getKey()))
        .toList();
  }

  public boolean pause(PauseSchedule command) {
    Remembered schedule = require(command.name());
    if (schedule.pause != null) {
      return false;
    }
    schedule.pause = new SchedulePause(command.actor(), command.reason(), command.now());
    return true;
  }

  public boolean resume(ResumeSchedule command) {
    Remembered schedule = require(command.name());
    if (schedule.pause == null) {
      return false;
    }
    schedule.resume(command.now());
    return true;
  }

  private Remembered require(ScheduleName name) {
    Remembered schedule = schedules.get(name);
    if (schedule == null) {
      throw RunlaneException.of(
          ErrorCode.SCHEDULE_NOT_FOUND,
          "task %s has no schedule %s, as far as anybody registered one",
          name.taskId(),
          name.scheduleId());
    }
    return schedule;
  }

  /** From before the earliest fire that may have been this schedule's; else from now. */
  private Instant countedFrom(RegisterSchedules.Definition told, Instant now) {
    boolean othersHere = schedules.values().stream()
        .anyMatch(schedule -> schedule.scheduleId.equals(told.scheduleId()));
    return occurrences
        .of(told.scheduleId())
        .filter(fire -> mayBeOf(told.taskId(), fire, othersHere))
        .map(fire -> fire.fireAt().minusNanos(1_000))
        .min(Comparator.naturalOrder())
        .filter(now::isAfter)
        .orElse(now);
  }

  /** What nobody can tell any more belongs to the first schedule of this id that is told of. */
  private boolean mayBeOf(String taskId, ScheduleOccurrence fire, boolean othersHere) {
    if (fire.taskId() != null) {
      return fire.taskId().equals(taskId);
    }
    RunRecord made = fire.runIds().isEmpty() ? null : runs.get(fire.runIds().get(0));
    return made == null ? !othersHere : made.taskId().equals(taskId);
  }

  /** A schedule and its definitions by their text. */
  private static final class Remembered {
    private final Instant firstSeen;
    private final String scheduleId;
    private final Map<String, Definition> definitions = new HashMap<>();
    private @Nullable Instant lastFire; // null until a fire was completed
    private @Nullable Instant resumedAt;
    private @Nullable SchedulePause pause;

    Remembered(Instant firstSeen, String scheduleId) {
      this.firstSeen = firstSeen;
      this.scheduleId = scheduleId;
    }

    void resume(Instant now) {
      pause = null;
      resumedAt = now;
      definitions.replaceAll((definition, each) -> new Definition(
          each.countsFrom().isBefore(now) ? now : each.countsFrom(), each.lastSeen()));
    }

    ScheduleState state(ScheduleName name) {
      Map.Entry<String, Definition> last = definitions.entrySet().stream()
          .max(Comparator.<Map.Entry<String, Definition>, Instant>comparing(
                  each -> each.getValue().lastSeen())
              .thenComparing(Map.Entry::getKey, Identifiers.ORDER))
          .orElseThrow();
      return new ScheduleState(
          name,
          last.getKey(),
          firstSeen,
          last.getValue().lastSeen(),
          last.getValue().countsFrom(),
          lastFire,
          resumedAt,
          pause);
    }

    boolean makesFires(Instant toldSince) {
      return pause == null
          && definitions.entrySet().stream()
              .anyMatch(each -> !each.getKey().equals(RegisterSchedules.Definition.DISABLED)
                  && !each.getValue().lastSeen().isBefore(toldSince));
    }

    Instant latest() {
      return lastFire != null
          ? lastFire
          : definitions.values().stream()
              .map(Definition::countsFrom)
              .min(Comparator.naturalOrder())
              .orElse(firstSeen);
    }

    boolean isEditBack(Definition before, Instant now, Duration goneAfter) {
      return !before.lastSeen().plus(goneAfter).isAfter(now)
          && definitions.values().stream()
              .anyMatch(other -> other.lastSeen().isAfter(before.lastSeen()));
    }
  }

  private record Definition(Instant countsFrom, Instant lastSeen) {}
}
