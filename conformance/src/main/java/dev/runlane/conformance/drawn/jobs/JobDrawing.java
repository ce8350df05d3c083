package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.drawn.Drawing;
import dev.runlane.conformance.drawn.Spoiler;
import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.conformance.model.jobs.JobWebhookCalls;
import dev.runlane.conformance.model.jobs.JobWrites;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.store.FetchJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The commands of one seed for a job store. */
final class JobDrawing implements Drawing {
  private final JobDraw draw;
  private final JobModel model;
  private final Predicate<Object> possible;
  private final DrawnJobWrites writes;
  private final DrawnJobEnds ends;
  private final DrawnJobReads reads;
  private final DrawnJobWebhooks webhooks;
  private final boolean withWebhooks;

  JobDrawing(long seed, JobModel model, Predicate<Object> possible, boolean withWebhooks) {
    this.possible = possible;
    this.draw = new JobDraw(seed);
    this.model = model;
    DrawnJobs jobs = new DrawnJobs(draw);
    ShownJobs shown = new ShownJobs(draw, model);
    this.writes = new DrawnJobWrites(draw, model, jobs, shown);
    this.ends = new DrawnJobEnds(draw, jobs, shown);
    this.reads = new DrawnJobReads(draw, model, shown);
    this.webhooks = new DrawnJobWebhooks(draw, model);
    this.withWebhooks = withWebhooks;
  }

  @Override
  public Object next() {
    draw.goOn(decisive());
    for (; ; ) {
      Object command = command();
      Object sent = draw.oneIn(12) && !isLeftAsItIs(command)
          ? Spoiler.spoil(command, draw.random())
          : command;
      if (possible.test(sent)) {
        return sent;
      }
    }
  }

  /**
   * No window reaches farther than those before it, nobody comes later than a fetch may, and no webhook is registered
   * so late that nothing is later.
   */
  private static boolean isLeftAsItIs(Object command) {
    return isLimited(command) || command instanceof JobWebhookCalls.Register;
  }

  private static boolean isLimited(Object command) {
    FetchJobs fetch = command instanceof JobWrites.Fetch each
        ? each.command()
        : command instanceof JobWrites.FetchOne one
            ? one.command()
            : command instanceof JobWrites.HandOver handOver
                ? handOver.command().fetch()
                : null;
    return fetch != null && fetch.options().rateLimit() != null;
  }

  private Object command() {
    return withWebhooks ? aboutEnds() : aboutJobs();
  }

  private Object aboutEnds() {
    return switch (draw.upTo(20)) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8 -> webhooks.any();
      case 9, 10 -> writes.save();
      case 11 -> writes.saveFlow();
      case 12, 13 -> ends.fetch();
      case 14, 15 -> ends.finish();
      case 16, 17 -> ends.failOrCancel();
      default -> aboutJobs();
    };
  }

  private Object aboutJobs() {
    return switch (draw.upTo(38)) {
      case 0, 1, 2, 3, 4, 5 -> writes.save();
      case 6, 7 -> writes.saveFlow();
      case 8, 9, 10, 11, 12, 13 -> ends.fetch();
      case 14, 15, 16, 17, 18, 19 -> ends.finish();
      case 20, 21 -> ends.handOver();
      case 22 -> ends.failOrCancel();
      case 23 -> ends.lock();
      case 24, 25 -> writes.update();
      case 26 -> writes.log();
      case 27 -> writes.remove();
      case 28, 29 -> writes.promote();
      case 30 -> writes.pause();
      case 31 -> writes.retry();
      case 32 -> writes.clean();
      case 33 -> writes.family();
      case 34 -> writes.schedule();
      case 35 -> writes.log();
      case 36 -> writes.redrive();
      default -> draw.oneIn(2) ? writes.drainOrObliterate() : writes.clean();
    };
  }

  @Override
  public boolean looks() {
    return !withWebhooks && !draw.oneIn(3);
  }

  @Override
  public Object look() {
    Object read = reads.any();
    return draw.oneIn(25) ? Spoiler.spoil(read, draw.random()) : read;
  }

  @Override
  public List<Object> everything() {
    return withWebhooks ? List.of(webhooks.everything()) : reads.everything();
  }

  @Override
  public void learn(Object command, @Nullable Object answer) {
    ends.learn();
    webhooks.learn(command, answer);
  }

  private Stream<Instant> decisive() {
    return Stream.of(
            model.jobs().stream().flatMap(this::decisive),
            model.schedules().stream().map(JobSchedule::nextAt).flatMap(Stream::ofNullable),
            model.deliveriesDue(),
            model.webhooksKept().flatMap(last -> Stream.of(last, last.plusMillis(1))))
        .flatMap(times -> times);
  }

  private Stream<Instant> decisive(JobData job) {
    Optional<Duration> ttl = Optional.ofNullable(job.options().deduplication())
        .flatMap(how -> Optional.ofNullable(how.ttl()));
    Optional<Duration> age = job.state().isTerminal()
        ? Optional.ofNullable(job.options().removalAfter(job.state()))
            .flatMap(removal -> Optional.ofNullable(removal.age()))
        : Optional.empty();
    Instant end = job.completedAt() == null ? job.failedAt() : job.completedAt();
    return Stream.of(
            Optional.ofNullable(job.delayUntil()),
            Optional.ofNullable(job.lockUntil()),
            Optional.ofNullable(job.processedAt()).map(at -> at.plus(draw.window)),
            ttl.map(job.createdAt()::plus),
            age.flatMap(length -> Optional.ofNullable(end).map(at -> at.plus(length))))
        .flatMap(Optional::stream);
  }
}
