package dev.runlane.simulation.check;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fleet.Callers;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.fleet.Outputs;
import dev.runlane.simulation.history.HistoryChecker;
import dev.runlane.simulation.history.LostAttempts;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.simulation.history.StoredState.Effect;
import dev.runlane.simulation.history.StoredState.OutboxRow;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.watch.Acknowledgements;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.RunEventRecord;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What must hold once the faults are over and the fleet has come to rest: read from rows, histories and answers. */
public final class FinalChecks {
  /** A pause of a queue holds in every process after so long. */
  static final Duration PAUSE_HOLDS = Duration.ofSeconds(2);

  /** A handler is told of a cancellation after so long, or by its next heartbeat. */
  private static final Duration TOLD = Duration.ofSeconds(5);

  /** Whoever waits for a run hears of its end after so long. */
  private static final Duration HEARD = Duration.ofSeconds(10);

  /** These keep nobody who looks for results of remote steps from finding them. */
  private static final Set<Kind> FOUND_ALL_THE_SAME = EnumSet.of(
      Kind.CANCELLATION_LOST,
      Kind.WEBHOOK_REFUSED,
      Kind.PUBLISH_LOST,
      Kind.PUBLISH_DOUBLED,
      Kind.PUBLISH_DELAYED,
      Kind.PUBLISH_REFUSED);

  private final Fleet fleet;
  private final Callers callers;
  private final HistoryChecker checker;
  private final boolean mayLoseNoAttempt;
  private final Duration clocksDiffer;
  private final Duration slack;
  private final List<Violation> found = new ArrayList<>();

  /**
   * @param clocksDiffer how far two clocks are apart at most
   * @param longestWait how long a command may be under way before it is carried out
   * @param usualWait how long one may be of a process that asks before: of what must stop, within
   * @param mayLoseNoAttempt whether nothing happened that an attempt can be lost by
   */
  public FinalChecks(
      Fleet fleet,
      Callers callers,
      Duration clocksDiffer,
      Duration longestWait,
      Duration usualWait,
      boolean mayLoseNoAttempt) {
    this.fleet = fleet;
    this.callers = callers;
    this.mayLoseNoAttempt = mayLoseNoAttempt;
    this.clocksDiffer = clocksDiffer;
    slack = usualWait.plus(clocksDiffer);
    checker = new HistoryChecker(Catalogue.policies(), clocksDiffer)
        .waitingAtMost(longestWait)
        .withLimits(fleet.limits(clocksDiffer.plus(longestWait)))
        .withResets(fleet.resets())
        .withPauses(fleet.watch().queuePauses(), PAUSE_HOLDS.plus(usualWait));
  }

  /** Every promise that is broken; empty when all is well. */
  public List<Violation> violations() {
    List<RunHistory> histories = new ArrayList<>(fleet.stored().all());
    List<OutboxRow> outbox = new ArrayList<>();
    Set<String> offered = fleet.transport().offered();
    histories.forEach(history -> outbox.addAll(messages(history, offered)));
    fleet.pruned().forEach(history -> outbox.addAll(prunedMessages(history)));
    histories.addAll(fleet.pruned());
    found.addAll(checker.violations(new StoredState(histories, outbox, List.of(), effects())));
    AttemptOutcomes outcomes = new AttemptOutcomes(fleet, clocksDiffer, found);
    histories.forEach(outcomes::check);
    BoundRules bounds =
        new BoundRules(fleet.lease(), fleet.undecodablePatience(), clocksDiffer, slack, found);
    histories.forEach(bounds::check);
    RecallRules recalls = new RecallRules(found);
    histories.forEach(recalls::check);
    PromptRules prompts = new PromptRules(fleet, slack, found);
    histories.forEach(prompts::check);
    RenewalRules renewals = new RenewalRules(fleet, found);
    histories.forEach(renewals::check);
    PublishRules publishes = new PublishRules(fleet, found);
    fleet.stored().all().forEach(publishes::check);
    checkAbandoned();
    new FireRules(fleet, clocksDiffer, found).check(histories);
    histories.forEach(this::checkStepAnswers);
    new SignalRules(fleet, TOLD.plus(fleet.lease().dividedBy(3)), found).check(histories);
    new RequestRules(histories, fleet.resets(), clocksDiffer, found).check(callers.requests());
    new NowRules(fleet, histories, slack, found).check(callers.requests());
    new ManyRules(histories, clocksDiffer, found).check(callers.manyRequests());
    Map<String, RunRecord> runs = new HashMap<>();
    histories.forEach(history -> runs.put(history.runId(), history.stored()));
    runs.values().forEach(this::checkOutput);
    histories.forEach(this::checkCancellation);
    if (mayLoseNoAttempt) {
      found.addAll(LostAttempts.in(histories));
    }
    checkFires(histories);
    callers.overdue().forEach(wait -> checkWait(wait, runs.get(wait.run())));
    if (callers.draining() > 0) {
      found.add(new Violation(Rule.DRAIN, "the fleet", callers.draining() + " workers go on"));
    }
    callers.answers().forEach(answer -> checkAnswer(answer, runs.get(answer.run())));
    operatorChecks().check();
    return List.copyOf(found);
  }

  /** The promises on what was counted that are broken, once every process is closed. */
  public List<Violation> afterClose() {
    found.clear();
    operatorChecks().checkCounts();
    return List.copyOf(found);
  }

  private List<Effect> effects() {
    Set<Effect> again = new HashSet<>();
    return fleet.calls().stream()
        .map(call -> new Effect(call.run(), call.attempt()))
        .filter(effect -> !fleet.mayBeMadeAgain(effect.runId()) || again.add(effect))
        .toList();
  }

  private OperatorChecks operatorChecks() {
    return new OperatorChecks(
        fleet, slack, mayLoseNoAttempt, fleet.stored().all(), fleet.pruned(), found);
  }

  /** The message of each request, in order: gone when it was published as the transport saw it, or given up. */
  private List<OutboxRow> messages(RunHistory history, Set<String> offered) {
    List<OutboxMessageState> messages = fleet.stored().outbox(history.runId());
    List<Long> requests = requests(history);
    if (messages.size() != requests.size()) {
      found.add(new Violation(
          Rule.OUTBOX,
          history.runId(),
          messages.size() + " messages for " + requests.size() + " requests"));
    }
    List<OutboxRow> rows = new ArrayList<>();
    for (int index = 0; index < Math.min(messages.size(), requests.size()); index++) {
      OutboxMessageState message = messages.get(index);
      boolean isGone = message.status() == OutboxMessageStatus.PUBLISHED
          ? offered.contains(message.id()) && message.failedPublishes() <= fleet.mostPublishes()
          : isGivenUp(message);
      rows.add(new OutboxRow(history.runId(), requests.get(index), 1, isGone ? 1 : 0));
    }
    return rows;
  }

  /** Whether it was refused for good, or as often as it may be at most. */
  private boolean isGivenUp(OutboxMessageState message) {
    FailureRecord failure = message.failure();
    return message.status() == OutboxMessageStatus.DEAD_LETTERED
        && failure != null
        && (!failure.retryable() || message.failedPublishes() >= fleet.mostPublishes());
  }

  private static List<OutboxRow> prunedMessages(RunHistory history) {
    return requests(history).stream()
        .map(sequence -> new OutboxRow(history.runId(), sequence, 1, 1))
        .toList();
  }

  private static List<Long> requests(RunHistory history) {
    return history.events().stream()
        .filter(row -> row.event() instanceof RunEvent.DeliveryRequested)
        .map(RunEventRecord::sequence)
        .toList();
  }

  private void checkOutput(RunRecord run) {
    if (run.status() == RunStatus.SUCCEEDED && !Outputs.isExpected(run)) {
      found.add(new Violation(Rule.OUTPUT, run.id(), "it put out " + run.output()));
    }
    if (run.status().isTerminal() && (run.lease() != null || run.reservation() != null)) {
      found.add(new Violation(Rule.LEFTOVER, run.id(), "it has ended and keeps its lease or slot"));
    }
    if (isUnread(run)) {
      found.add(new Violation(Rule.PAYLOAD, run.id(), "it ended with " + run.failure()));
    }
    if (run.counters().failures() > Catalogue.MOST_FAILURES) {
      found.add(new Violation(
          Rule.BUDGET, run.id(), "it failed " + run.counters().failures() + " times"));
    }
  }

  /** Whether a payload ended it that was not waited for as long as it is said. */
  private boolean isUnread(RunRecord run) {
    FailureRecord failure = run.failure();
    if (failure == null
        || failure.code() != ErrorCode.VALIDATION_FAILED
        || Catalogue.mayBeInvalid(run)) {
      return false;
    }
    Duration patience = fleet.undecodablePatience();
    JsonObject meta =
        new JsonObject(failure.meta() == null ? "{}" : failure.meta().text());
    return patience.isZero()
        || !meta.containsKey("since")
        || Instant.parse(meta.getString("since")).plus(patience).isAfter(run.updatedAt());
  }

  private void checkCancellation(RunHistory history) {
    boolean isAsked = false;
    for (RunEventRecord row : history.events()) {
      RunEvent event = row.event();
      if (isAsked
          && !(event instanceof RunEvent.Failed)
          && OutcomeAttempt.of(event).isPresent()) {
        found.add(new Violation(
            Rule.CANCELLATION,
            history.runId(),
            "it went on with " + event.type().value()));
      }
      isAsked = isAsked || event instanceof RunEvent.CancellationRequested;
    }
  }

  private void checkFires(List<RunHistory> histories) {
    Map<String, String> owners = new HashMap<>();
    Set<Instant> made = new HashSet<>();
    for (RunHistory history : histories) {
      RunSource source = history.stored().source();
      if (source.type() == RunSource.Type.SCHEDULE) {
        if (history.stored().taskId().equals(Catalogue.TICKING)) {
          made.add(Objects.requireNonNull(source.fireAt()));
        }
        String fire = source.scheduleId() + " at " + source.fireAt();
        String other = owners.put(fire, history.runId());
        if (other != null) {
          found.add(
              new Violation(Rule.ONE_FIRE, history.runId(), other + " is of " + fire + " too"));
        }
      }
    }
    checkMissedFires(made);
  }

  /** While all is well nothing is missed, not even with a policy that lets missed fires collapse. */
  private void checkMissedFires(Set<Instant> made) {
    for (Instant fire : fleet.calmFires()) {
      if (!made.contains(fire)) {
        found.add(new Violation(Rule.MISSED_FIRE, "tick", "the fire at " + fire + " made no run"));
      }
    }
  }

  /** The result of a remote step is taken soon, whether anybody is told of it or not. */
  private void checkStepAnswers(RunHistory history) {
    for (RunEventRecord row : history.events()) {
      Instant answered = row.event() instanceof RunEvent.StepCompleted done
          ? fleet.stepAnswers().get(done.stepId())
          : null;
      Instant taken = row.event().header().occurredAt();
      if (answered != null
          && answered.plus(HEARD).plus(fleet.calmWait()).isBefore(taken)
          && fleet.hasRoles()
          && fleet.isCalmBut(FOUND_ALL_THE_SAME, answered)
          && fleet.isCalmBut(FOUND_ALL_THE_SAME, taken)) {
        found.add(new Violation(
            Rule.STEP_ANSWER,
            history.runId(),
            "event " + row.sequence() + " at " + taken + ": was answered at " + answered));
      }
    }
  }

  /** No lease is lost where all is well, so that no attempt is given up for that. */
  private void checkAbandoned() {
    for (Acknowledgements.Abandoned attempt : fleet.abandoned()) {
      if (fleet.isCalm(attempt.at())) {
        found.add(new Violation(
            Rule.ACKNOWLEDGED,
            attempt.run(),
            "its attempt is said to be abandoned at " + attempt.at() + ", where all was well"));
      }
    }
  }

  private void checkWait(Callers.Wait wait, @Nullable RunRecord run) {
    Instant ended = run == null ? null : run.finishedAt();
    if (ended != null
        && ended.plus(HEARD).isBefore(wait.until())
        && fleet.isCalm(ended)
        && fleet.isCalm(wait.until())) {
      found.add(new Violation(
          Rule.ANSWER, wait.run(), "it ended at " + ended + ", waited for until " + wait.until()));
    }
  }

  private void checkAnswer(Callers.Answer answer, @Nullable RunRecord run) {
    if (run == null
        || (answer.what().equals("cancel") && !isCancelling(answer.status()))
        || run.eventSequence() < answer.sequence()
        || (answer.status().isTerminal() && run.status() != answer.status())) {
      found.add(new Violation(
          Rule.ANSWER,
          answer.run(),
          answer.what() + " answered " + answer.status().value() + " at event " + answer.sequence()
              + ", but it is " + (run == null ? "not there" : run.status().value())));
    }
  }

  private static boolean isCancelling(RunStatus status) {
    return status == RunStatus.CANCELLED || status == RunStatus.CANCELLATION_REQUESTED;
  }
}
