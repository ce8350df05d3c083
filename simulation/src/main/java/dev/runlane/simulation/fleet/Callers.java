package dev.runlane.simulation.fleet;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.PruneOptions;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.operator.Operating;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Who uses the fleet: services that trigger runs, and operators who cancel, repeat and explain them. */
public final class Callers {
  private static final RunActionOptions OPERATOR = RunActionOptions.by("somebody");
  private static final RunActionOptions WITH_REASON =
      RunActionOptions.by("somebody").setReason("looked at it");
  private static final Set<ErrorCode> MISTAKES = Set.of(
      ErrorCode.INVARIANT_VIOLATION,
      ErrorCode.ADAPTER_CONTRACT_VIOLATION,
      ErrorCode.INTERNAL_ERROR,
      ErrorCode.CAPABILITY_UNSUPPORTED);

  private static final int RECENT = 8; // runs that an operator looks at
  private static final int KEYS = 3;
  private static final Duration A_BURST = Duration.ofMillis(200);

  private final long seed;
  private final Fleet fleet;
  private final Setup setup;
  private final Trace trace;
  private final Consumer<Violation> found;
  private final Chance chance;
  private final List<String> known = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final List<Request> requests = new ArrayList<>();
  private final List<ManyRequest> manyRequests = new ArrayList<>();
  private final List<Wait> overdue = new ArrayList<>();
  private final List<Drain> drains = new ArrayList<>();

  /** @param found is told of answers that must not be */
  public Callers(long seed, Fleet fleet, Setup setup, Trace trace, Consumer<Violation> found) {
    this.seed = seed;
    this.fleet = fleet;
    this.setup = setup;
    this.trace = trace;
    this.found = found;
    chance = Chance.of(seed, "callers");
  }

  /** Schedules every call until the faults are over. */
  public void start() {
    long last = setup.faultsUntil();
    for (int call = 0; call < setup.triggers(); call++) {
      long script = chance.number();
      String drawn = chance.one(Catalogue.TRIGGERED);
      boolean isRemote = drawn.equals(Catalogue.REMOTE);
      String task = isRemote && setup.stepWorkers() == 0 ? Catalogue.PLAIN : drawn;
      Item item = new Item(script, "K" + chance.from(1, 3));
      TriggerOptions options = new TriggerOptions();
      if (chance.happens(0.2)) {
        options.setDelay(chance.duration(Duration.ofMillis(10), Duration.ofMinutes(3)));
      }
      boolean now = options.getDelay().isEmpty() && chance.happens(0.1);
      at(chance.point(1_000_000, last), runlane -> trigger(runlane, task, item, options, now));
    }
    for (int call = 0; call < setup.triggers() / 2; call++) {
      int dice = chance.from(0, 9);
      long choice = chance.number();
      at(chance.point(5_000_000, last), runlane -> operate(runlane, dice, choice));
    }
    startHabits(Chance.of(seed, "habits of callers"), last);
    startOperating(Chance.of(seed, "operating of callers"), last);
    for (int call = 0; call < setup.prunes(); call++) {
      Duration age = Setup.OPERATORS_KEEP.multipliedBy(chance.from(1, 4));
      String key = "K" + chance.from(1, 3);
      at(chance.point(5_000_000, last), process -> prune(process, age));
      at(chance.point(5_000_000, last), process -> reset(process, key));
    }
  }

  /** What is asked for by the habits of the fleet. */
  private void startHabits(Chance draw, long last) {
    Habits habits = setup.habits();
    for (int call = 0; call < habits.poisoned() + habits.branching(); call++) {
      String task = call < habits.poisoned() ? Catalogue.POISON : Catalogue.BRANCHING;
      Item item = new Item(draw.number(), "K" + draw.from(1, 3));
      at(
          draw.point(1_000_000, last),
          process -> trigger(
              process,
              task,
              item,
              new TriggerOptions().setTraceCarrier(Map.of("traceparent", "00-1-1-01")),
              false));
    }
    startRecalled(Chance.of(seed, "recalled"), last);
    startWide(Chance.of(seed, "wide runs"), last);
    startMany(Chance.of(seed, "many runs"), last);
    startBursts(Chance.of(seed, "bursts of runs"), last);
    for (int call = 0; call < habits.ticks(); call++) {
      if (setup.transport() != Setup.Transport.SHARED_ALONE) {
        at(draw.point(1_000_000, last), process -> {
          trace.note(process.life(), "drain");
          process
              .drain()
              .onSuccess(worker -> drains.add(new Drain(process.life(), worker.closed())))
              .onFailure(failure -> judge("drain", failure));
        });
      }
      at(draw.point(1_000_000, last), process -> {
        trace.note(process.life(), "tick");
        process.tick().onFailure(failure -> judge("tick", failure));
      });
    }
  }

  private void startRecalled(Chance draw, long last) {
    for (int call = 0; call < setup.manner().recalled(); call++) {
      Item item = new Item(draw.number(), "K" + draw.from(1, 3));
      fleet.call(
          draw.point(1_000_000, last),
          draw.number(),
          process -> trigger(process, Catalogue.RECALLED, item, new TriggerOptions(), false));
    }
  }

  private void startWide(Chance draw, long last) {
    int wide = setup.stepWorkers() == 0 ? 0 : setup.manner().wide();
    for (int call = 0; call < wide; call++) {
      Item item = new Item(draw.number(), Item.WIDE);
      fleet.call(
          draw.point(1_000_000, last),
          draw.number(),
          process -> trigger(process, Catalogue.REMOTE, item, new TriggerOptions(), false));
    }
  }

  /** Runs that are to begin at once, more than their queue has slots for. */
  private void startBursts(Chance draw, long last) {
    for (int burst = 0; burst < setup.manner().bursts(); burst++) {
      String task = draw.one(List.of(Catalogue.ONE_BY_ONE, Catalogue.SHARING));
      String key = "K" + draw.from(1, KEYS);
      long from = draw.point(1_000_000, last);
      for (int call = 0; call <= Catalogue.SHARED_LIMIT; call++) {
        Item item = new Item(draw.number(), key);
        fleet.call(
            from + draw.micros(Duration.ZERO, A_BURST),
            draw.number(),
            process -> trigger(process, task, item, new TriggerOptions(), true));
      }
    }
  }

  /** Several runs in one call, some under a key that other calls give too, with the same payload or another. */
  private void startMany(Chance draw, long last) {
    Map<String, Item> given = new HashMap<>();
    for (int call = 0; call < setup.manner().many(); call++) {
      String task = draw.one(Catalogue.ASKED_FOR_TOGETHER);
      List<Item> items = new ArrayList<>();
      int first = draw.from(1, KEYS);
      int count = draw.from(1, KEYS + 1);
      for (int number = first; number < first + count; number++) {
        String key = "K" + (1 + number % KEYS);
        Item before = given.get(key);
        Item item = before != null && draw.happens(0.4) ? before : new Item(draw.number(), key);
        given.put(key, item);
        items.add(item);
      }
      fleet.call(
          draw.point(1_000_000, last),
          draw.number(),
          process -> triggerAll(process, task, List.copyOf(items)));
    }
  }

  private void triggerAll(SimulatedProcess process, String task, List<Item> items) {
    process.task(task).ifPresent(known -> {
      trace.note(process.life(), "triggerAll of " + items.size() + " " + task);
      Instant askedAt = fleet.now();
      process.runlane().triggerAll(known, items, new TriggerOptions()).onComplete(done -> {
        manyRequests.add(new ManyRequest(task, items, askedAt, fleet.now(), done));
        if (done.failed()) {
          refused(process, "triggerAll", done.cause());
        } else if (done.result().size() != items.size()) {
          found.accept(new Violation(
              Rule.REQUEST, task, done.result().size() + " answers for " + items.size()));
        } else {
          for (int number = 0; number < items.size(); number++) {
            TriggerResult result = done.result().get(number);
            requests.add(new Request(
                task,
                items.get(number),
                false,
                Duration.ZERO,
                askedAt,
                fleet.now(),
                Future.succeededFuture(result)));
            told(process, "triggerAll", result.run());
          }
        }
      });
    });
  }

  /** What is asked for beside the runs, and of them by those who wait. */
  private void startOperating(Chance draw, long last) {
    Operating operating = setup.operating();
    for (int call = 0; call < operating.fires(); call++) {
      fleet.call(draw.point(1_000_000, last), draw.number(), process -> {
        trace.note(process.life(), "fire " + Catalogue.SCHEDULE);
        answered(
            process,
            "fire",
            process
                .runlane()
                .schedules()
                .fire(Catalogue.TICKING, Catalogue.SCHEDULE, OPERATOR)
                .map(TriggerResult::run));
      });
    }
    for (int call = 0; call < operating.waits(); call++) {
      Duration timeout = draw.duration(Duration.ofSeconds(1), Duration.ofMinutes(5));
      long choice = draw.number();
      fleet.call(
          draw.point(5_000_000, last), draw.number(), process -> recent(choice).ifPresent(run -> {
            trace.note(process.life(), "waits for " + run);
            Instant until = fleet.now().plus(timeout);
            answered(
                process,
                "awaitRun",
                process
                    .runlane()
                    .awaitRun(run, timeout)
                    .onSuccess(this::checkEnded)
                    .onFailure(failure -> checkWait(run, until)));
          }));
    }
  }

  /** Whoever waited until its timeout has waited for a run that went on, while all was well. */
  private void checkWait(String run, Instant until) {
    if (!fleet.now().isBefore(until)) {
      overdue.add(new Wait(run, until));
    }
  }

  private void checkEnded(RunRecord run) {
    if (!run.status().isTerminal()) {
      found.accept(new Violation(
          Rule.ANSWER, run.id(), "awaitRun answered that it is " + run.status().value()));
    }
  }

  private Optional<String> recent(long choice) {
    int recent = Math.min(known.size(), RECENT);
    return recent == 0
        ? Optional.empty()
        : Optional.of(known.get(known.size() - 1 - (int) Math.floorMod(choice, (long) recent)));
  }

  /** What was asked for, in the order of answers. */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  /** Calls for many runs, in the order of answers. */
  public List<ManyRequest> manyRequests() {
    return List.copyOf(manyRequests);
  }

  /** Waits that nothing but their timeout ended. */
  public List<Wait> overdue() {
    return List.copyOf(overdue);
  }

  /** How many workers still drain in processes that live. */
  public long draining() {
    return drains.stream()
        .filter(drain -> !drain.life.isOver() && !drain.closed.isComplete())
        .count();
  }

  /** What callers were answered. */
  public List<Answer> answers() {
    return List.copyOf(answers);
  }

  private void at(long micros, Consumer<SimulatedProcess> call) {
    fleet.call(micros, chance.number(), call);
  }

  private void trigger(
      SimulatedProcess process, String task, Item item, TriggerOptions options, boolean now) {
    Runlane runlane = process.runlane();
    Optional<TaskDescription<Item>> known = process.task(task);
    if (known.isEmpty()) {
      return;
    }
    trace.note(process.life(), (now ? "runNow " : "trigger ") + task);
    Future<TriggerResult> result = now
        ? runlane.runNow(known.get(), item, options)
        : runlane.trigger(known.get(), item, options);
    Instant askedAt = fleet.now();
    result.onComplete(done -> requests.add(new Request(
        task, item, now, options.getDelay().orElse(Duration.ZERO), askedAt, fleet.now(), done)));
    answered(process, now ? "runNow" : "trigger", result.map(TriggerResult::run));
  }

  private void operate(SimulatedProcess process, int dice, long choice) {
    recent(choice).ifPresent(run -> operate(process, dice, choice, run));
  }

  private void operate(SimulatedProcess process, int dice, long choice, String run) {
    Runlane runlane = process.runlane();
    RunActionOptions options = Math.floorMod(choice, 3L) == 0 ? WITH_REASON : OPERATOR;
    if (dice < 5) {
      answered(process, "cancel", runlane.runs().cancel(run, options));
    } else if (dice < 7) {
      answered(process, "rerun", runlane.runs().rerun(run, options).map(TriggerResult::run));
    } else if (dice < 9) {
      answered(process, "retry", runlane.runs().retry(run, options).map(TriggerResult::run));
    } else {
      runlane.runs().explain(run).onFailure(failure -> judge("explain", failure));
    }
  }

  private void prune(SimulatedProcess process, Duration age) {
    trace.note(process.life(), "prune what is older than " + age);
    process
        .runlane()
        .runs()
        .prune(PruneOptions.olderThan(age))
        .onFailure(failure -> judge("prune", failure));
  }

  private void reset(SimulatedProcess process, String key) {
    process.task(Catalogue.UNIQUE).ifPresent(task -> {
      trace.note(process.life(), "reset " + key);
      fleet.asksToReset(task.id(), key);
      process
          .runlane()
          .idempotencyKeys()
          .reset(task, key)
          .onFailure(failure -> judge("reset", failure));
    });
  }

  private void answered(SimulatedProcess process, String what, Future<RunRecord> answer) {
    answer.onComplete(result -> {
      if (result.succeeded()) {
        told(process, what, result.result());
      } else {
        refused(process, what, result.cause());
      }
    });
  }

  private void told(SimulatedProcess process, String what, RunRecord run) {
    trace.note(process.life(), what + ": " + run.id() + " is " + run.status().value());
    known.add(run.id());
    answers.add(new Answer(what, run.id(), run.status(), run.eventSequence()));
  }

  private void refused(SimulatedProcess process, String what, Throwable cause) {
    trace.note(process.life(), what + ": " + cause.getMessage());
    judge(what, cause);
  }

  private void judge(String what, Throwable failure) {
    if (!(failure instanceof RunlaneException known && !MISTAKES.contains(known.code()))) {
      found.accept(new Violation(Rule.MISTAKE, what, String.valueOf(failure)));
    }
  }

  /**
   * What a caller was told of a run.
   *
   * @param what the call
   * @param status where the run was
   * @param sequence how many events it had
   */
  public record Answer(String what, String run, RunStatus status, long sequence) {}

  /**
   * A run that a caller asked for, at once or later.
   *
   * @param now whether its first attempt is made before the answer
   * @param delay zero: at once
   * @param askedAt true time, as is when it was answered
   * @param answer the run and what it is to the request, or why there is none
   */
  public record Request(
      String task,
      Item item,
      boolean now,
      Duration delay,
      Instant askedAt,
      Instant answeredAt,
      AsyncResult<TriggerResult> answer) {}

  /**
   * Runs that a caller asked for in one call.
   *
   * @param askedAt true time, as is when it was answered
   * @param answer one for each of the items, in their order, or why there is none
   */
  public record ManyRequest(
      String task,
      List<Item> items,
      Instant askedAt,
      Instant answeredAt,
      AsyncResult<List<TriggerResult>> answer) {}

  /** Somebody waited for the end of a run until then. */
  public record Wait(String run, Instant until) {}

  private record Drain(Lifetime life, Future<Void> closed) {}
}
