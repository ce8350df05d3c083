package dev.runlane.conformance.race.jobs;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.model.Names;
import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.conformance.model.jobs.JobReads;
import dev.runlane.conformance.model.jobs.JobWrites;
import dev.runlane.conformance.race.order.Scene;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.MetricsGranularity;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.MetricsQuery;
import dev.runlane.jobs.store.SearchJobsFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The race of one seed: a few jobs in every state, then commands that want the same ones. */
final class JobScene implements Scene {
  private final Random random;
  private final JobModel model;
  private final List<JobMethod> methods;
  private final RacedJobDraw draw;
  private final Queue<Supplier<Optional<Object>>> preparations = new ArrayDeque<>();
  private Instant clock = Given.NOON;

  JobScene(long seed, JobModel model) {
    this.random = new Random(seed * 31 + 17); // neighbouring seeds begin alike
    for (int i = 0; i < 10; i++) {
      random.nextLong();
    }
    this.model = model;
    this.methods = methods(seed);
    this.draw = new RacedJobDraw(random, model);
    prepare();
  }

  /** The next pair mostly, else two to four of those that are about the same things. */
  private List<JobMethod> methods(long seed) {
    if (seed % 7 > 0) {
      List<List<JobMethod>> pairs = JobMethod.pairs();
      return pairs.get((int) ((seed - seed / 7 - 1) % pairs.size()));
    }
    List<List<JobMethod>> families = JobMethod.FAMILIES;
    List<JobMethod> family = families.get((int) (seed / 7 % families.size()));
    List<JobMethod> some = new ArrayList<>();
    for (int more = 2 + random.nextInt(3); more > 0; more--) {
      some.add(family.get(random.nextInt(family.size())));
    }
    return some;
  }

  private void prepare() {
    List<String> firstIds = RacedJobDraw.IDS.subList(0, 3 + random.nextInt(3));
    preparations.add(() -> Optional.of(new JobWrites.SaveJobs(
        RacedJobDraw.QUEUE, firstIds.stream().map(id -> draw.job(id, clock)).toList(), clock)));
    boolean withFamily = methods.stream()
            .anyMatch(each -> each == JobMethod.NOTIFY_PARENT || each == JobMethod.FAIL_PARENT)
        || random.nextInt(3) == 0;
    if (withFamily) {
      preparations.add(() -> Optional.of(new JobWrites.SaveFlow(draw.flow(clock), clock)));
    }
    preparations.add(() -> Optional.of(
        new JobWrites.SaveJobs(RacedJobDraw.QUEUE, List.of(draw.delayed(clock)), clock)));
    preparations.add(() -> Optional.of(fetch(2 + random.nextInt(3))));
    preparations.add(() -> end(new JobOutcome.Completed(RacedJobDraw.DATA)));
    preparations.add(() -> end(new JobOutcome.Failed("no luck", "at Luck")));
    preparations.add(() -> Optional.of(
        new JobWrites.SaveJobs(RacedJobDraw.QUEUE, List.of(draw.job("late", clock)), clock)));
    preparations.add(() -> Optional.of(fetch(1)));
    preparations.add(() -> draw.line().map(each -> each));
    preparations.add(() -> Optional.of(new JobWrites.Upsert(draw.schedule(clock))));
    if (random.nextInt(4) == 0) {
      preparations.add(() -> Optional.of(draw.pause()));
    }
  }

  private Object fetch(int limit) {
    return new JobWrites.Fetch(new FetchJobs(
        RacedJobDraw.QUEUE, "before", RacedJobDraw.LOCK, FetchOptions.ANY, limit, clock));
  }

  private Optional<Object> end(JobOutcome outcome) {
    return draw.held()
        .map(lock -> new JobWrites.FinishJobs(List.of(new FinishJob(lock, outcome, null, clock))));
  }

  @Override
  public Optional<Object> next() {
    while (!preparations.isEmpty()) {
      clock = clock.plusMillis(7);
      Optional<Object> command = preparations.remove().get();
      if (command.isPresent()) {
        return command;
      }
    }
    return Optional.empty();
  }

  @Override
  public void learn(Object command, @Nullable Object answer) {
    draw.learn();
  }

  /** Each at an instant of its own, so that no order hangs on what has ended at once. */
  @Override
  public List<Object> contenders() {
    draw.meet();
    Instant base =
        clock.plus(random.nextInt(4) == 0 ? Duration.ofMinutes(1) : Duration.ofMillis(9));
    List<Object> commands = new ArrayList<>();
    for (JobMethod method : methods) {
      Instant now = base.plusMillis(commands.size() * 2L + random.nextInt(2));
      draw.draw(method, now, commands.size()).ifPresent(commands::add);
    }
    return commands;
  }

  @Override
  public List<Object> reads() {
    Instant now = clock.plus(Duration.ofMinutes(2));
    List<Object> reads = new ArrayList<>();
    reads.add(new JobReads.SearchJobs(SearchJobsFilter.ALL, 0, JobChecks.MOST_ENTRIES));
    for (JobData job : model.jobs()) {
      if (!Names.isMade(job.id())) {
        reads.add(new JobReads.GetJob(job.queueName(), job.id()));
      }
    }
    for (String id : RacedJobDraw.NEW_IDS) {
      reads.add(new JobReads.GetJob(RacedJobDraw.QUEUE, id));
    }
    for (String queue : List.of(RacedJobDraw.QUEUE, RacedJobDraw.DEAD)) {
      reads.add(new JobReads.GetJobCounts(queue));
      reads.add(new JobReads.GetMetrics(new MetricsQuery(
          queue, MetricsGranularity.MINUTE, Given.NOON.minusSeconds(60), now.plusSeconds(60))));
    }
    reads.add(new JobReads.GetPausedJobNames(RacedJobDraw.QUEUE));
    reads.add(new JobReads.ListSchedules(RacedJobDraw.QUEUE));
    reads.add(new JobReads.FindByDeduplicationKey(RacedJobDraw.QUEUE, RacedJobDraw.KEY, now));
    reads.add(new JobReads.GetGroupActiveCount(RacedJobDraw.QUEUE, RacedJobDraw.GROUP));
    reads.add(new JobReads.GetWaitingGroupCount(RacedJobDraw.QUEUE, RacedJobDraw.GROUP));
    reads.add(new JobReads.GetChildrenJobs(RacedJobDraw.QUEUE, RacedJobDraw.PARENT));
    reads.add(new JobReads.ListJobs(RacedJobDraw.QUEUE, JobState.ACTIVE, 0, 50));
    return reads;
  }
}
