package dev.runlane.simulation.jobs;

import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.FlowResult;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.simulation.world.WorldVersion;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Those who add jobs, again until they are told that they are there, and operators. */
public final class JobCallers {
  /** The schedule of every world. */
  static final String TICK = "tick";

  /** Its fires. */
  static final int FIRES = 4;

  private static final long MARGIN = VirtualTime.micros(Duration.ofSeconds(40));
  private static final long AGAIN = VirtualTime.micros(Duration.ofSeconds(3));
  private static final int OPERATIONS = 12;

  private final long seed;
  private final JobFleet fleet;
  private final JobSetup setup;
  private final VirtualTime time;
  private final Trace trace;
  private final Chance chance;
  private final Set<String> answered = new LinkedHashSet<>(); // queue and id
  private final List<String> waiting = new ArrayList<>(); // not answered yet

  /** Nobody has called yet. */
  public JobCallers(long seed, JobFleet fleet, JobSetup setup, VirtualTime time, Trace trace) {
    this.seed = seed;
    this.fleet = fleet;
    this.setup = setup;
    this.time = time;
    this.trace = trace;
    chance = Chance.of(seed, "callers");
  }

  /** Schedules all calls. */
  public void start() {
    at(chance.point(0, MARGIN), TICK, jobs -> jobs.queue(JobQueues.PLAIN)
        .upsertSchedule(
            TICK,
            JobRepeat.every(Duration.ofSeconds(30)).withLimit(FIRES - 1),
            TICK,
            null,
            JobOptions.NONE));
    for (int number = 1; number <= setup.adds(); number++) {
      add("j" + number, Chance.of(seed, "job " + number));
    }
    if (setup.isOperated()) {
      for (int number = 1; number <= OPERATIONS; number++) {
        long when = chance.point(0, setup.faultsUntil() - MARGIN);
        time.after(when, Lifetime.WORLD, () -> anyProcess().ifPresent(this::operate));
      }
    }
    if (WorldVersion.isSeventh(seed)) {
      startRedrives(Chance.of(seed, "redrives"));
    }
    for (String queue : JobQueues.WORKED_ON) {
      at(setup.faultsUntil() - MARGIN / 2, "resume " + queue, jobs -> jobs.queue(queue)
          .resume());
    }
  }

  /** Who puts back what has failed for good. */
  private void startRedrives(Chance draw) {
    int redrives = draw.happens(0.5) ? draw.from(1, 4) : 0;
    for (int number = 0; number < redrives; number++) {
      int most = draw.from(1, 5);
      time.after(draw.point(0, setup.faultsUntil() - MARGIN), Lifetime.WORLD, () -> anyProcess()
          .ifPresent(process -> {
            trace.note(process.life(), "redrives " + most);
            outcome(process.jobs().queue(JobQueues.LETTERS).redrive(most));
          }));
    }
  }

  /** What was not answered yet. */
  public List<String> waiting() {
    return List.copyOf(waiting);
  }

  /** Jobs that were said to be there: queues and ids. */
  Set<String> answered() {
    return answered;
  }

  private void add(String id, Chance draw) {
    long when = chance.point(0, setup.faultsUntil() - MARGIN);
    if (draw.happens(0.25)) {
      FlowJob flow = JobDraw.flow(draw, id, 2);
      at(when, id, jobs -> jobs.flows()
          .add(flow)
          .onSuccess(this::stands)
          .map((Object) id)
          .recover(failure -> fleet.stored().seen().contains(flow.queueName() + "/" + id)
              ? Future.succeededFuture(id) // its first answer was lost
              : Future.failedFuture(failure)));
      return;
    }
    String queue = draw.one(JobQueues.WORKED_ON);
    JobOptions options = JobDraw.plain(draw, id, queue);
    at(when, id, jobs -> jobs.queue(queue)
        .add(id, null, options)
        .onSuccess(job -> answered.add(queue + "/" + job.id())));
  }

  private void stands(FlowResult added) {
    answered.add(added.job().queueName() + "/" + added.job().id());
    added.children().forEach(this::stands);
  }

  /** Calls then, and again until it is answered. */
  private void at(long when, String what, Function<Jobs, Future<?>> call) {
    waiting.add(what);
    time.after(when, Lifetime.WORLD, () -> call(what, call));
  }

  private void call(String what, Function<Jobs, Future<?>> call) {
    if (!waiting.contains(what)) {
      return;
    }
    anyProcess().ifPresent(process -> {
      trace.note(process.life(), "is asked for " + what);
      call.apply(process.jobs())
          .onSuccess(done -> waiting.remove(what))
          .onFailure(
              failure -> trace.note(Lifetime.WORLD, what + " is refused: " + failure.getMessage()));
    });
    time.after(
        VirtualTime.micros(Duration.ofSeconds(15)) + AGAIN, Lifetime.WORLD, () -> call(what, call));
  }

  private Optional<SimulatedJobs> anyProcess() {
    List<SimulatedJobs> up = fleet.up().stream()
        .filter(each -> each.life().pausedUntil() <= time.now())
        .toList();
    return up.isEmpty() ? Optional.empty() : Optional.of(chance.one(up));
  }

  private void operate(SimulatedJobs process) {
    String name = chance.one(JobQueues.WORKED_ON);
    JobQueue queue = process.jobs().queue(name);
    int dice = chance.from(0, 99);
    trace.note(process.life(), "operates " + name + " with " + dice);
    if (dice < 20) {
      outcome(queue.pause());
      long pause = chance.micros(Duration.ofSeconds(1), Duration.ofMinutes(2));
      time.after(pause, Lifetime.WORLD, () -> anyProcess()
          .ifPresent(other -> outcome(other.jobs().queue(name).resume())));
    } else if (dice < 30) {
      fleet.operations().drains(name);
      outcome(queue.drain());
    } else if (dice < 45) {
      fleet.operations().retries();
      outcome(queue.retryJobs(JobState.FAILED));
    } else if (dice < 55) {
      outcome(queue.promoteJobs());
    } else if (!answered.isEmpty()) {
      String[] job = chance.one(List.copyOf(answered)).split("/", 2);
      JobQueue of = process.jobs().queue(job[0]);
      if (dice < 80) {
        fleet.operations().cancels(job[0] + "/" + job[1]);
        outcome(of.cancel(job[1]));
      } else {
        fleet.operations().removes(job[0] + "/" + job[1]);
        outcome(of.getJob(job[1])
            .compose(found ->
                found.isEmpty() ? Future.succeededFuture() : found.get().remove()));
      }
    }
  }

  /** Operators look at what came of it and leave it at that. */
  private void outcome(Future<?> done) {
    done.onComplete(result -> {
      if (trace.isOn()) {
        trace.note(
            Lifetime.WORLD,
            "an operator hears: "
                + (result.succeeded() ? result.result() : result.cause().getMessage()));
      }
    });
  }
}
