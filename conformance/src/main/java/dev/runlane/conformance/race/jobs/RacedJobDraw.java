package dev.runlane.conformance.race.jobs;

import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.conformance.model.jobs.JobWrites;
import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Commands to jobs of one queue, most of which are about the same job. */
final class RacedJobDraw {
  static final String QUEUE = "raced";
  static final String DEAD = "raced.dead";
  static final String KEY = "key";
  static final String GROUP = "group";
  static final String PARENT = "parent";
  static final Duration LOCK = Duration.ofSeconds(30);
  static final Json DATA = Json.ofChecked("{\"n\":1}");
  static final List<String> IDS = List.of("j1", "j2", "j3", "j4", "j5");
  static final List<String> NEW_IDS = List.of("new", "newer");
  private static final String NAME = "name";
  private static final String SCHEDULE = "schedule";
  private static final Duration WINDOW = Duration.ofSeconds(1);

  private final Random random;
  private final JobModel model;
  private final List<JobLock> locks = new ArrayList<>(); // those among them that are lost
  private @Nullable JobRef meeting;
  private int made;

  RacedJobDraw(Random random, JobModel model) {
    this.random = random;
    this.model = model;
  }

  void learn() {
    for (JobData job : model.jobs()) {
      if (job.lockToken() != null && !locks.contains(job.lock())) {
        locks.add(job.lock());
      }
    }
  }

  /** Chooses the job that the next commands are about, mostly. */
  void meet() {
    List<JobData> jobs = known();
    List<JobData> active =
        jobs.stream().filter(each -> each.state() == JobState.ACTIVE).toList();
    List<JobData> choice = active.isEmpty() || oneIn(2) ? jobs : active;
    meeting = choice.isEmpty() ? null : ref(anyOf(choice));
  }

  /** A command of this method; empty where there is nothing that it could be about. */
  Optional<Object> draw(JobMethod method, Instant now, int contender) {
    return switch (method) {
      case SAVE -> Optional.of(save(now));
      case SAVE_FLOW -> Optional.of(new JobWrites.SaveFlow(newFlow(contender, now), now));
      case FETCH -> Optional.of(new JobWrites.Fetch(fetch(now, options())));
      case FINISH -> lock().map(lock -> new JobWrites.FinishJobs(ends(lock, now)));
      case HAND_OVER ->
        lock()
            .map(lock -> new JobWrites.HandOver(
                new FinishAndFetch(List.of(end(lock, now)), fetch(now, FetchOptions.ANY))));
      case FAIL -> any().map(job -> new JobWrites.FailJob(QUEUE, job.jobId(), "by hand", now));
      case CANCEL -> any().map(job -> new JobWrites.CancelJob(QUEUE, job.jobId(), now));
      case CANCEL_OPEN -> any().map(job -> new JobWrites.CancelOpenJob(QUEUE, job.jobId(), now));
      case UPDATE -> any().map(job -> new JobWrites.UpdateJob(QUEUE, job.jobId(), update(now)));
      case UPDATE_HELD -> lock().map(lock -> new JobWrites.UpdateHeldJob(lock, update(now)));
      case UPDATE_EXPECTED ->
        any()
            .map(job ->
                new JobWrites.UpdateExpectedJob(QUEUE, job.jobId(), update(now), expected(job)));
      case REMOVE -> any().map(job -> new JobWrites.RemoveJob(QUEUE, job.jobId(), now));
      case EXTEND_LOCK -> any().map(job -> new JobWrites.ExtendLock(QUEUE, job.jobId(), LOCK, now));
      case EXTEND_HELD_LOCKS ->
        lock().map(lock -> new JobWrites.ExtendLocks(List.of(lock), LOCK, now));
      case RELEASE_LOCK -> any().map(job -> new JobWrites.ReleaseLock(QUEUE, job.jobId()));
      case RELEASE_HELD_LOCK -> lock().map(JobWrites.ReleaseHeldLock::new);
      case APPEND_LOG -> any().map(job -> new JobWrites.AppendLog(QUEUE, job.jobId(), text()));
      case APPEND_HELD_LOG -> lock().map(lock -> new JobWrites.AppendHeldLog(lock, text()));
      case CLEAR_LOGS -> any().map(job -> new JobWrites.ClearLogs(QUEUE, job.jobId()));
      case PROMOTE_DELAYED ->
        Optional.of(new JobWrites.PromoteDelayedJobs(QUEUE, now.plusSeconds(10)));
      case PROMOTE -> Optional.of(new JobWrites.PromoteJobs(QUEUE));
      case PAUSE -> Optional.of(pause());
      case RESUME -> Optional.of(new JobWrites.ResumeJobName(QUEUE, pausable()));
      case CLEAN ->
        Optional.of(new JobWrites.Clean(
            QUEUE, oneIn(2) ? JobState.COMPLETED : JobState.FAILED, Duration.ZERO, now));
      case REMOVE_EXPIRED ->
        Optional.of(new JobWrites.RemoveExpiredJobs(QUEUE, now, 1 + random.nextInt(2)));
      case DRAIN -> Optional.of(new JobWrites.Drain(QUEUE, now));
      case OBLITERATE ->
        Optional.of(
            new JobWrites.ObliterateQueue(QUEUE, anyOf(Arrays.asList(Obliterate.values())), now));
      case RETRY ->
        Optional.of(
            new JobWrites.RetryJobs(QUEUE, oneIn(2) ? JobState.COMPLETED : JobState.FAILED));
      case REDRIVE ->
        Optional.of(new JobWrites.RedriveDeadLetters(DEAD, 1 + random.nextInt(2), now));
      case NOTIFY_PARENT -> Optional.of(new JobWrites.NotifyChildCompleted(QUEUE, PARENT, now));
      case FAIL_PARENT -> Optional.of(new JobWrites.FailParent(QUEUE, PARENT, "no child", now));
      case UPSERT_SCHEDULE -> Optional.of(new JobWrites.Upsert(schedule(now)));
      case REMOVE_SCHEDULE -> Optional.of(new JobWrites.RemoveSchedule(QUEUE, SCHEDULE));
      case FIRE -> fire(now);
    };
  }

  private Object save(Instant now) {
    List<NewJob> jobs = new ArrayList<>();
    for (int more = 1 + random.nextInt(2); more > 0; more--) {
      String id = oneIn(2) ? anyOf(NEW_IDS) : null;
      NewJob job = job(id, now);
      jobs.add(job);
    }
    return new JobWrites.SaveJobs(QUEUE, jobs, now);
  }

  /** Any job of the queue, with this id or one that the store makes. */
  NewJob job(@Nullable String id, Instant now) {
    JobOptions.Builder options = lasting();
    if (oneIn(3)) {
      options.deduplication(
          JobDeduplication.byKey(KEY).as(anyOf(Arrays.asList(JobDeduplication.Mode.values()))));
    }
    NewJob job = NewJob.of(NAME, data(), options.build(), now);
    return id == null ? job : job.withId(id);
  }

  private JobOptions.Builder lasting() {
    JobOptions.Builder options = JobOptions.builder();
    if (oneIn(2)) {
      options.group(new JobGroup(GROUP, oneIn(4) ? Integer.valueOf(2) : null));
    }
    if (oneIn(2)) {
      options.deadLetterQueue(DEAD);
    }
    if (oneIn(3)) {
      options.removeOnComplete(removal());
    }
    if (oneIn(4)) {
      options.removeOnFail(removal());
    }
    if (oneIn(3)) {
      options.priority(random.nextInt(2));
    }
    return oneIn(5) ? options.lifo(true) : options;
  }

  private JobRemoval removal() {
    return switch (random.nextInt(3)) {
      case 0 -> JobRemoval.atOnce();
      case 1 -> JobRemoval.after(Duration.ofMillis(1));
      default -> JobRemoval.keeping(1);
    };
  }

  NewJob delayed(Instant now) {
    return NewJob.of(NAME, data(), lasting().delay(Duration.ofSeconds(5)).build(), now)
        .withId("delayed");
  }

  /** A parent and two children. */
  List<FlowNode> flow(Instant now) {
    return family(PARENT, List.of("c1", "c2"), now);
  }

  private List<FlowNode> newFlow(int contender, Instant now) {
    String parent = oneIn(2) ? "p" : "p" + contender;
    return family(parent, List.of(parent + "c"), now);
  }

  private List<FlowNode> family(String parent, List<String> children, Instant now) {
    List<FlowNode> nodes = new ArrayList<>();
    for (String child : children) {
      NewJob leaf = NewJob.of(NAME, data(), lasting().build(), now).withId(child);
      nodes.add(new FlowNode(QUEUE, leaf.childOf(QUEUE, parent)));
    }
    JobOptions options = lasting()
        .failParentOnChildFailure(anyOf(Arrays.asList(ChildFailurePolicy.values())))
        .build();
    NewJob top = NewJob.of(NAME, data(), options, now).withId(parent).parentOf(children);
    nodes.add(new FlowNode(QUEUE, top));
    return nodes;
  }

  private FetchJobs fetch(Instant now, FetchOptions options) {
    return new FetchJobs(QUEUE, "w" + random.nextInt(2), LOCK, options, 1 + random.nextInt(3), now);
  }

  private FetchOptions options() {
    FetchOptions options = oneIn(4) ? FetchOptions.ANY.lastFirst() : FetchOptions.ANY;
    if (oneIn(3)) {
      options = options.withGroupConcurrency(1 + random.nextInt(2));
    }
    if (oneIn(4)) {
      options = options.without(Set.of(GROUP));
    }
    if (oneIn(4)) {
      options = options.withRateLimit(new RateLimit(1 + random.nextInt(2), WINDOW));
    }
    return oneIn(4) ? options.withGlobalConcurrency(2 + random.nextInt(3)) : options;
  }

  private List<FinishJob> ends(JobLock lock, Instant now) {
    List<FinishJob> ends = new ArrayList<>(List.of(end(lock, now)));
    if (oneIn(3)) {
      held()
          .filter(other -> !other.jobId().equals(lock.jobId()))
          .ifPresent(other -> ends.add(end(other, now.plusNanos(1_000_000))));
    }
    return ends;
  }

  private FinishJob end(JobLock lock, Instant now) {
    NewJob next = oneIn(6) ? NewJob.of(NAME, data(), JobOptions.NONE, now) : null;
    return new FinishJob(lock, outcome(now), next, now);
  }

  private JobOutcome outcome(Instant now) {
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> new JobOutcome.Completed(DATA);
      case 3, 4 -> new JobOutcome.Failed("no luck", null);
      case 5 -> new JobOutcome.Retry(now.plusSeconds(random.nextInt(2)), "again", null);
      case 6 -> new JobOutcome.Snooze(now.plusSeconds(random.nextInt(2)));
      default -> oneIn(2) ? new JobOutcome.Cancelled() : new JobOutcome.Stalled();
    };
  }

  private JobUpdate update(Instant now) {
    return switch (random.nextInt(5)) {
      case 0 -> JobUpdate.NONE.state(JobState.FAILED).failedAt(now).failedReason("by hand");
      case 1 -> JobUpdate.NONE.state(JobState.WAITING);
      case 2 -> JobUpdate.NONE.data(data());
      default -> JobUpdate.NONE.progress(random.nextInt(101));
    };
  }

  /** The state that the job has, so that the first of two changes of it is the last. */
  private List<JobState> expected(JobRef ref) {
    return model.jobs().stream()
        .filter(job -> job.id().equals(ref.jobId()))
        .map(JobData::state)
        .limit(1)
        .toList();
  }

  /** What the schedule is, or another one. */
  UpsertSchedule schedule(Instant now) {
    return new UpsertSchedule(
        QUEUE,
        SCHEDULE,
        NAME,
        data(),
        JobOptions.NONE,
        JobRepeat.every(Duration.ofSeconds(1 + random.nextInt(2))),
        now.plusSeconds(random.nextInt(2)),
        now);
  }

  private Optional<Object> fire(Instant now) {
    return model.schedules().stream()
        .filter(schedule -> schedule.nextAt() != null)
        .findFirst()
        .map(schedule -> fire(schedule, Objects.requireNonNull(schedule.nextAt()), now));
  }

  private Object fire(JobSchedule schedule, Instant next, Instant now) {
    return new JobWrites.Fire(new FireSchedule(
        QUEUE, SCHEDULE, next, schedule.repeat(), job(null, now), next.plusSeconds(1), now));
  }

  Object pause() {
    return new JobWrites.PauseJobName(QUEUE, pausable());
  }

  private String pausable() {
    return oneIn(2) ? JobStore.ALL : NAME;
  }

  /** A line for a job that is handed out. */
  Optional<Object> line() {
    return held().map(lock -> new JobWrites.AppendHeldLog(lock, text()));
  }

  /** A lock that holds. */
  Optional<JobLock> held() {
    List<JobLock> held = model.jobs().stream()
        .filter(job -> job.lockToken() != null)
        .map(JobData::lock)
        .toList();
    return held.isEmpty() ? Optional.empty() : Optional.of(anyOf(held));
  }

  /** The lock of the job that all want, or another one, which may be lost. */
  private Optional<JobLock> lock() {
    Optional<JobLock> wanted = locks.stream()
        .filter(lock -> meeting != null && lock.jobId().equals(meeting.jobId()))
        .reduce((one, later) -> later);
    if (wanted.isPresent() && !oneIn(6)) {
      return wanted;
    }
    return locks.isEmpty() ? Optional.empty() : Optional.of(anyOf(locks));
  }

  /** The job that all want, or another one. */
  private Optional<JobRef> any() {
    if (meeting != null && !oneIn(6)) {
      return Optional.of(meeting);
    }
    List<JobData> jobs = known();
    return jobs.isEmpty() ? Optional.empty() : Optional.of(ref(anyOf(jobs)));
  }

  private List<JobData> known() {
    return model.knownJobs().stream()
        .filter(job -> job.queueName().equals(QUEUE))
        .toList();
  }

  private static JobRef ref(JobData job) {
    return new JobRef(job.queueName(), job.id());
  }

  private Json data() {
    made++;
    return Json.ofChecked("{\"n\":" + made + "}");
  }

  private String text() {
    made++;
    return "line " + made;
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }

  private <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
