package dev.runlane.simulation.check;

import dev.runlane.operator.log.LogLine;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.fleet.Handlers;
import dev.runlane.simulation.fleet.Tagging;
import dev.runlane.simulation.history.Pause;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** What must hold of what operators see and do, once a fleet has come to rest. */
final class OperatorChecks {
  private static final Duration SIGNED = Duration.ofSeconds(12);
  private static final Duration SEEN = Duration.ofSeconds(25);
  private static final Duration HEARD = Duration.ofSeconds(10);

  private final Fleet fleet;
  private final Duration slack;
  private final boolean mayLoseNoAttempt;
  private final List<RunHistory> stored;
  private final List<RunHistory> pruned;
  private final List<Violation> found;

  /**
   * @param slack how long after its pause a schedule may still make a run: what is late, and what clocks differ
   * @param mayLoseNoAttempt whether no process was killed
   */
  OperatorChecks(
      Fleet fleet,
      Duration slack,
      boolean mayLoseNoAttempt,
      List<RunHistory> stored,
      List<RunHistory> pruned,
      List<Violation> found) {
    this.fleet = fleet;
    this.slack = slack;
    this.mayLoseNoAttempt = mayLoseNoAttempt;
    this.stored = stored;
    this.pruned = pruned;
    this.found = found;
  }

  void check() {
    checkTags();
    stored.forEach(this::checkLines);
    pruned.forEach(this::checkNoLines);
    checkProcesses();
    all().forEach(this::checkFire);
    all().forEach(this::checkHeard);
  }

  private Stream<RunHistory> all() {
    return Stream.concat(stored.stream(), pruned.stream());
  }

  private void checkTags() {
    Map<String, Map<String, String>> tags =
        fleet.operations().tags(stored.stream().map(RunHistory::runId).toList());
    Set<String> values = new TreeSet<>();
    for (RunHistory history : stored) {
      Optional<String> expected = Tagging.tagOf(history.stored());
      expected.ifPresent(values::add);
      Map<String, String> own = tags.getOrDefault(history.runId(), Map.of());
      if (!expected.equals(Optional.ofNullable(own.get(Tagging.TAG)))) {
        found.add(new Violation(Rule.TAGS, history.runId(), own + " instead of " + expected));
      }
    }
    for (String value : values) {
      Set<String> listed = fleet.operations().tagged(Tagging.TAG, value);
      Set<String> expected = new TreeSet<>();
      stored.stream()
          .filter(
              history -> Tagging.tagOf(history.stored()).filter(value::equals).isPresent())
          .forEach(history -> expected.add(history.runId()));
      if (!listed.equals(expected)) {
        found.add(new Violation(Rule.TAGS, value, "lists " + listed + " instead of " + expected));
      }
    }
  }

  /** An attempt that is made again writes again; one whose process died may have lost its lines, but none between. */
  private void checkLines(RunHistory history) {
    long attempts = history.stored().counters().attempts();
    int attempt = 0;
    int number = 0;
    for (LogLine line : fleet.operations().lines(history.runId())) {
      boolean isNext = line.attempt() > attempt || line.number() > number;
      if (line.attempt() < attempt
          || !isNext
          || line.attempt() > attempts
          || !line.text().equals(Handlers.lineOf(line.attempt(), line.number()))) {
        found.add(new Violation(
            Rule.LOG, history.runId(), line + " after " + number + " of attempt " + attempt));
      }
      attempt = line.attempt();
      number = line.number();
    }
  }

  private void checkNoLines(RunHistory history) {
    List<LogLine> left = fleet.operations().lines(history.runId());
    if (!left.isEmpty()) {
      found.add(new Violation(Rule.LOG, history.runId(), "was pruned and keeps " + left));
    }
  }

  /** One that died while its clock was ahead seems to live for that much longer. */
  private void checkProcesses() {
    long living = fleet.operations().living(fleet.now());
    long most = fleet.seenWithin(SEEN.plus(slack));
    if (living < fleet.upFor(SIGNED) || living > most) {
      found.add(new Violation(
          Rule.PROCESSES,
          "the fleet",
          living + " say that they live, of " + fleet.upFor(SIGNED) + " to " + most));
    }
  }

  /** A fire of a pause makes no run, neither then nor later. */
  private void checkFire(RunHistory history) {
    RunRecord run = history.stored();
    Instant fireAt = run.source().fireAt();
    if (run.source().type() != RunSource.Type.SCHEDULE
        || fireAt == null
        || !run.taskId().equals(Catalogue.TICKING)) {
      return;
    }
    for (Pause pause : fleet.watch().schedulePauses()) {
      boolean isMadeInside = run.createdAt().isAfter(pause.from().plus(slack))
          && run.createdAt().isBefore(pause.until().minus(slack));
      boolean isMissedAndMade = fireAt.isAfter(pause.from().plus(slack))
          && fireAt.isBefore(pause.until().minus(slack));
      if (isMadeInside || isMissedAndMade) {
        found.add(new Violation(
            Rule.PAUSED, run.id(), "of the fire at " + fireAt + ", made in " + pause));
      }
    }
  }

  /** Where all was well around an end, every process that listened by then has heard of it. */
  private void checkHeard(RunHistory history) {
    RunRecord run = history.stored();
    Instant endedAt = run.updatedAt();
    if (!run.status().isTerminal()
        || endedAt.isAfter(fleet.now().minus(HEARD))
        || !fleet.isCalm(endedAt)) {
      return;
    }
    fleet.ends().listeners().stream()
        .filter(listener -> !listener.knows(run.id(), endedAt))
        .forEach(listener -> found.add(new Violation(
            Rule.SUBSCRIPTION, run.id(), listener + " has not heard of its end at " + endedAt)));
  }

  /** What processes have counted once they are closed, where nothing of it can be lost. */
  void checkCounts() {
    List<ThroughputBucket> counted = fleet.operations().throughput();
    if (!mayLoseNoAttempt || !fleet.countsAll()) {
      return;
    }
    compare("triggered", counted, ThroughputBucket::triggered, RunEvent.Created.class::isInstance);
    compare("started", counted, ThroughputBucket::started, RunEvent.Started.class::isInstance);
    compare(
        "succeeded", counted, ThroughputBucket::succeeded, RunEvent.Succeeded.class::isInstance);
  }

  private void compare(
      String what,
      List<ThroughputBucket> counted,
      ToLongFunction<ThroughputBucket> count,
      Predicate<RunEvent> isOne) {
    long sum = counted.stream().mapToLong(count).sum();
    long happened = all()
        .flatMap(history -> history.events().stream())
        .filter(row -> isOne.test(row.event()))
        .count();
    if (sum != happened) {
      found.add(new Violation(
          Rule.THROUGHPUT, what, sum + " were counted of " + happened + " in histories"));
    }
  }
}
