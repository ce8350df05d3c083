package dev.runlane.simulation.jobs;

import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignal;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.ProcessTimers;
import dev.runlane.simulation.world.WorldVersion;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;

/** What handlers do: the id of a job and the number of its hand-out decide, in whatever process it is. */
final class JobHandlers {
  /** Why a job fails that its handler gives up for good. */
  static final String UNRECOVERABLE = "beyond repair";

  /** Why an attempt fails. */
  static final String ON_PURPOSE = "on purpose";

  private static final int LAST_MISFORTUNE = 6; // hand-outs after it succeed at once
  private static final Duration BLINK = Duration.ofMillis(5);

  private final long seed;
  private final Lifetime life;
  private final ProcessTimers timers;
  private final JobCallLog log;
  private final JobChildRules children;

  JobHandlers(
      long seed, Lifetime life, ProcessTimers timers, JobCallLog log, JobChildRules children) {
    this.seed = seed;
    this.life = life;
    this.timers = timers;
    this.log = log;
    this.children = children;
  }

  Future<JobResult> handle(Job job, JobSignal signal) {
    JobCallLog.Call call = log.begins(life, job.read(), signal);
    if (WorldVersion.isSeventh(seed)) {
      children.ask(job);
    }
    Chance chance = Chance.of(seed, job.id() + " hand-out " + job.startedAttempts());
    int dice = chance.from(0, 99);
    if (job.startedAttempts() > LAST_MISFORTUNE || dice < 35) {
      return ending(call, Future.succeededFuture(done(job)));
    }
    if (dice < 40) {
      log.returns(call, JobResult.failed(new IllegalStateException(ON_PURPOSE)));
      throw new IllegalStateException(ON_PURPOSE);
    }
    if (dice < 44 && job.options().timeout() != null) {
      return Promise.<JobResult>promise().future(); // never returns
    }
    Future<Void> work = timers.after(chance.duration(BLINK, Duration.ofSeconds(60)));
    if (dice < 55) {
      return ending(call, signal.untilFired(work).map(worked -> done(job)));
    }
    if (dice < 62) {
      return ending(call, work.compose(worked -> spoken(job)).map(said -> done(job)));
    }
    if (dice < 78) {
      return ending(call, work.map(worked -> done(job)));
    }
    if (dice < 90) {
      return ending(call, work.compose(worked -> Future.failedFuture(ON_PURPOSE)));
    }
    if (dice < 94) {
      return ending(call, work.map(worked -> JobResult.unrecoverable(UNRECOVERABLE)));
    }
    Duration pause = chance.duration(BLINK, Duration.ofSeconds(30));
    return ending(call, work.map(worked -> JobResult.snooze(pause)));
  }

  private static Future<?> spoken(Job job) {
    return job.log("line").compose(told -> job.updateProgress(50)).otherwiseEmpty();
  }

  private static JobResult done(Job job) {
    return JobResult.done(job.startedAttempts());
  }

  private Future<JobResult> ending(JobCallLog.Call call, Future<JobResult> result) {
    return result.onComplete(done ->
        log.returns(call, done.succeeded() ? done.result() : JobResult.failed(done.cause())));
  }
}
