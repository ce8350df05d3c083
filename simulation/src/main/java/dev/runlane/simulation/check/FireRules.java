package dev.runlane.simulation.check;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.Clockwork;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.watch.UpTimes.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Holds the runs of schedules of each kind to the fires that their policies say make runs, and to no others. */
final class FireRules {
  /** A new process has looked at its schedules by then, where all is well. */
  private static final Duration LOOKED = Duration.ofSeconds(35);

  /** What a process has sent before its end may be carried out by then. */
  private static final Duration UNDER_WAY = Duration.ofSeconds(15);

  private final Fleet fleet;
  private final Duration clocksDiffer;
  private final List<Violation> found;

  FireRules(Fleet fleet, Duration clocksDiffer, List<Violation> found) {
    this.fleet = fleet;
    this.clocksDiffer = clocksDiffer;
    this.found = found;
  }

  void check(List<RunHistory> histories) {
    if (!fleet.isClocked() || fleet.schedulesSince().isEmpty()) {
      return;
    }
    Map<String, NavigableMap<Instant, RunRecord>> made = new HashMap<>();
    Clockwork.ALL.forEach(clockwork -> made.put(clockwork.id(), new TreeMap<>()));
    for (RunHistory history : histories) {
      RunRecord run = history.stored();
      Instant fireAt = run.source().fireAt();
      NavigableMap<Instant, RunRecord> runs =
          made.get(String.valueOf(run.source().scheduleId()));
      if (run.taskId().equals(Catalogue.CLOCKED)
          && run.source().type() == RunSource.Type.SCHEDULE
          && fireAt != null
          && runs != null) {
        runs.put(fireAt, run);
      }
    }
    Clockwork.ALL.forEach(
        clockwork -> check(clockwork, made.getOrDefault(clockwork.id(), new TreeMap<>())));
  }

  private void check(Clockwork clockwork, NavigableMap<Instant, RunRecord> made) {
    made.values().forEach(run -> checkFire(clockwork, run));
    if (clockwork.missed().kind() == MissedFires.Kind.ALL) {
      checkEach(clockwork, made);
    } else {
      fleet.upTimes().none().forEach(span -> checkMissed(clockwork, span, made));
    }
  }

  /** Made of a fire, not before it, and by a process that has it. */
  private void checkFire(Clockwork clockwork, RunRecord run) {
    Instant at = fireAt(run);
    Instant createdAt = run.createdAt();
    boolean isUsual = clockwork.isFire(Clockwork.USUAL, at);
    boolean isEdited = clockwork.isFire(Clockwork.EDITED, at);
    if (!isUsual && !isEdited) {
      broken(clockwork, at, "made a run and is none");
    }
    if (createdAt.plus(clocksDiffer).isBefore(at)) {
      broken(clockwork, at, "made a run before it, at " + createdAt);
    }
    if (!fleet.isLone()) {
      return;
    }
    for (Span span : fleet.editions()) {
      boolean isInside = createdAt.isAfter(span.from().plus(UNDER_WAY).plus(clocksDiffer))
          && createdAt.isBefore(span.until().minus(clocksDiffer));
      if (isInside
          && (span.edition() == Clockwork.DISABLED || !clockwork.isFire(span.edition(), at))) {
        broken(clockwork, at, "made a run at " + createdAt + " that edition " + span + " has not");
      }
      if (isInside
          && span.edition() == Clockwork.EDITED
          && !isUsual
          && at.plus(clocksDiffer).isBefore(firstEdition())) {
        broken(clockwork, at, "made a run and was before the schedule was edited");
      }
    }
  }

  private Instant firstEdition() {
    return fleet.editions().stream()
        .filter(span -> span.edition() == Clockwork.EDITED)
        .map(Span::from)
        .findFirst()
        .orElse(Instant.MIN);
  }

  /** Of a schedule that makes up for everything, no fire is without a run since it is known. */
  private void checkEach(Clockwork clockwork, NavigableMap<Instant, RunRecord> made) {
    Instant since = fleet.schedulesSince().orElseThrow().plus(clocksDiffer);
    Instant until = fleet.now().minus(clocksDiffer).minus(Duration.ofMinutes(2));
    for (Instant at : clockwork.fires(Clockwork.USUAL, since, until)) {
      if (!made.containsKey(at)) {
        broken(clockwork, at, "made no run");
      }
    }
  }

  /** What fell due while there was no process. */
  private void checkMissed(Clockwork clockwork, Span none, NavigableMap<Instant, RunRecord> made) {
    boolean skips = clockwork.missed().kind() == MissedFires.Kind.SKIP;
    Instant until =
        none.until().minus(clocksDiffer).minus(skips ? Clockwork.TOLERANCE : Duration.ZERO);
    List<Instant> missed = clockwork.fires(Clockwork.USUAL, none.from().plus(clocksDiffer), until);
    int over = skips ? missed.size() : missed.size() - 1;
    for (int index = 0; index < over; index++) {
      if (made.containsKey(missed.get(index))) {
        broken(clockwork, missed.get(index), "made a run, was missed in " + none);
      }
    }
    if (!skips && !missed.isEmpty()) {
      checkLatest(clockwork, missed.get(missed.size() - 1), none, made);
    }
  }

  /** The latest makes a run, where the next process could look in peace before the next fire. */
  private void checkLatest(
      Clockwork clockwork, Instant at, Span none, NavigableMap<Instant, RunRecord> made) {
    Instant looked = none.until().plus(LOOKED);
    boolean isKnown = fleet.schedulesSince().orElseThrow().plus(clocksDiffer).isBefore(at);
    boolean isPeaceful = fleet.isLone()
        && clocksDiffer.isZero()
        && fleet.isUndisturbed(none.from(), looked)
        && fleet.upTimes().none().stream()
            .noneMatch(
                other -> other.from().isAfter(none.from()) && other.from().isBefore(looked))
        && fleet.editions().stream()
            .allMatch(span -> span.edition() == Clockwork.USUAL
                || span.from().isAfter(looked)
                || span.until().isBefore(none.from()));
    if (isKnown
        && isPeaceful
        && clockwork.fires(Clockwork.USUAL, at, looked).isEmpty()
        && fleet.now().isAfter(looked)
        && !made.containsKey(at)) {
      broken(clockwork, at, "made no run, the latest that was missed in " + none);
    }
  }

  private static Instant fireAt(RunRecord run) {
    Instant at = run.source().fireAt();
    return at == null ? Instant.MIN : at;
  }

  private void broken(Clockwork clockwork, Instant at, String what) {
    found.add(new Violation(Rule.FIRE, clockwork.id(), "the fire at " + at + " " + what));
  }
}
