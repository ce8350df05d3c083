package dev.runlane.conformance.jobs;

import static dev.runlane.conformance.kit.Given.NOON;

import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.conformance.kit.CaseVertx;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.kit.EnclosingSuite;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.RuleNames;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.run.Json;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One promise of a job store. Each case gets a store on empty state, and another one on the same where it asks for it,
 * with metrics on.
 */
@ExtendWith({VertxExtension.class, EnclosingSuite.class})
@DisplayNameGeneration(RuleNames.class)
public abstract class JobStoreConformance {
  protected static final String QUEUE = "orders";
  protected static final String OTHER_QUEUE = "mails";
  protected static final String WORKER = "worker-1";
  protected static final Duration LOCK = Duration.ofSeconds(30);
  protected static final Json DATA = Json.ofChecked("{\"n\":1}");
  protected static final JobOutcome DONE = new JobOutcome.Completed(Json.ofChecked("\"done\""));
  protected static final JobOutcome BROKEN = new JobOutcome.Failed("no luck", "at Luck");

  /** What listeners threw, of both stores. */
  protected final Queue<Throwable> listenerFailures =
      new ConcurrentLinkedQueue<>(); // any thread may add

  protected JobStoreFixture fixture;
  protected JobStore store;
  protected List<Context> contexts;
  private @Nullable JobStore other; // most cases do without

  /** Opens the stores under test. */
  @BeforeEach
  final void openStore(ConformanceSuite<?> suite, CaseVertx vertx) {
    fixture = suite.fixture(JobStoreFixture.class, vertx);
    contexts = vertx.contexts();
    store = Outcomes.done(fixture.open(options()));
  }

  /** Closes all that the case opened. */
  @AfterEach
  final void closeStore() {
    Outcomes.done(fixture.close());
  }

  /** Another store on the same state, the same one each time. Opened by whoever asks first: no event loop may. */
  protected final JobStore other() {
    if (other == null) {
      other = Outcomes.done(fixture.open(options()));
    }
    return other;
  }

  protected JobStoreOptions options() {
    return new JobStoreOptions()
        .setMetricsEnabled(true)
        .setOnEventHandlerError(listenerFailures::add);
  }

  protected static Instant after(long millis) {
    return NOON.plusMillis(millis);
  }

  protected static NewJob job(String name) {
    return job(name, JobOptions.NONE);
  }

  protected static NewJob job(String name, JobOptions options) {
    return NewJob.of(name, DATA, options, NOON);
  }

  protected static NewJob prioritised(String name, double priority) {
    return job(name, JobOptions.builder().priority(priority).build());
  }

  protected static NewJob inGroup(String name, String group) {
    return job(name, JobOptions.builder().group(JobGroup.of(group)).build());
  }

  protected static NewJob delayed(String name, long millis) {
    return job(name, JobOptions.builder().delay(Duration.ofMillis(millis)).build());
  }

  /** Stores a job in the usual queue. */
  protected String save(NewJob job) {
    return Outcomes.done(store.saveJob(QUEUE, job, NOON));
  }

  protected List<String> saveAll(NewJob... jobs) {
    return Arrays.stream(jobs).map(this::save).toList();
  }

  protected JobData get(String id) {
    return get(QUEUE, id);
  }

  protected JobData get(String queueName, String id) {
    return Outcomes.done(store.getJob(queueName, id))
        .orElseThrow(() -> new AssertionError("there is no job " + id));
  }

  protected JobState stateOf(String id) {
    return get(id).state();
  }

  protected boolean exists(String id) {
    return Outcomes.done(store.getJob(QUEUE, id)).isPresent();
  }

  protected void update(String id, JobUpdate updates) {
    Outcomes.done(store.updateJob(QUEUE, id, updates));
  }

  protected static FetchJobs fetching(FetchOptions options, Instant now) {
    return FetchJobs.one(QUEUE, WORKER, LOCK, now).with(options);
  }

  /** Up to this many jobs, handed out. */
  protected List<JobData> fetch(int limit, FetchOptions options, Instant now) {
    return Outcomes.done(store.fetchNextJobs(fetching(options, now).upTo(limit)));
  }

  /** Whether nothing can be handed out. */
  protected boolean isNothingFetched(FetchOptions options, Instant now) {
    return Outcomes.done(store.fetchNextJob(fetching(options, now))).isEmpty();
  }

  protected boolean isNothingFetched() {
    return isNothingFetched(FetchOptions.ANY, NOON);
  }

  /** The next job, handed out. */
  protected JobData fetched(FetchOptions options, Instant now) {
    return Outcomes.done(store.fetchNextJob(fetching(options, now)))
        .orElseThrow(() -> new AssertionError("no job was handed out"));
  }

  protected JobData fetched(FetchOptions options) {
    return fetched(options, NOON);
  }

  protected JobData fetched() {
    return fetched(FetchOptions.ANY, NOON);
  }

  /** A new job, handed out. */
  protected JobData running(NewJob job) {
    String id = save(job);
    JobData running = fetched();
    if (!running.id().equals(id)) {
      throw new AssertionError("another job was handed out than the only one");
    }
    return running;
  }

  protected FinishResult finish(JobData running, JobOutcome outcome, Instant now) {
    return Outcomes.done(store.finishJob(FinishJob.of(running.lock(), outcome, now)));
  }

  protected FinishResult finish(JobData running, JobOutcome outcome) {
    return finish(running, outcome, after(1_000));
  }

  protected static FinishedJob change(FinishResult result) {
    if (result instanceof FinishResult.Finished finished) {
      return finished.change();
    }
    throw new AssertionError("expected the job to be finished, but got " + result);
  }

  protected FinishedJob finished(JobData running, JobOutcome outcome) {
    return change(finish(running, outcome));
  }

  /** A job that has ended this way, at this time. */
  protected String ended(NewJob job, JobOutcome outcome, Instant now) {
    JobData running = running(job);
    change(finish(running, outcome, now));
    return running.id();
  }

  /** Stores a flow of the usual queue: leaves with these ids under a parent with these options. */
  protected void saveFlow(String parent, JobOptions parentOptions, String... children) {
    List<FlowNode> nodes = new ArrayList<>();
    for (String child : children) {
      nodes.add(new FlowNode(QUEUE, job("leaf").withId(child).childOf(QUEUE, parent)));
    }
    nodes.add(new FlowNode(
        QUEUE, job("parent", parentOptions).withId(parent).parentOf(List.of(children))));
    Outcomes.done(store.saveFlow(nodes, NOON));
  }

  protected static List<String> ids(List<JobData> jobs) {
    return jobs.stream().map(JobData::id).toList();
  }

  protected static List<String> names(List<JobData> jobs) {
    return jobs.stream().map(JobData::name).toList();
  }

  /** The same command by so many contenders, on both stores in turn. */
  protected <T> Race.Results<T> race(int contenders, IntFunction<Supplier<Future<T>>> command) {
    other(); // it is there before they start
    return Race.run(contexts, IntStream.range(0, contenders).mapToObj(command).toList());
  }

  protected JobStore storeOf(int contender) {
    return contender % 2 == 0 ? store : other();
  }
}
