package dev.runlane.jobs.store;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.MetricsBucket;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Keeps the jobs of any number of queues. A job is one row that waits, is handed out under a lock and ends.
 *
 * <pre>
 *   saveJob ─► delayed ─ promote ─► waiting ─ fetch ─► active ─ finishJob ─► completed
 *                 ▲                    ▲                  │                ─► failed
 *                 └────────────────────┴── retry, snooze, stall
 *   saveFlow ─► waiting-children ─ last child done ─► waiting (or delayed)
 * </pre>
 *
 * <p><b>Answers.</b> Every method answers through its future and never throws, {@link #subscribe} and {@link
 * #unsubscribe} included. What is handed out never shares state with the store. Malformed input is refused
 * by {@link JobChecks} with {@link ErrorCode#VALIDATION_FAILED} before anything is changed; an unreachable
 * backend fails with a retryable {@link ErrorCode#STORAGE_UNAVAILABLE}, and then it is unknown whether the
 * command was carried out. Any other method than {@link #connect()} may be called by any thread, and any
 * number of processes may use one store at the same time; each method is atomic unless it says otherwise.
 *
 * <p><b>Time.</b> A store never reads a clock of its own for a decision: commands carry {@code now}. Instants
 * are whole milliseconds, cut where they enter. Where a method says "older", "past" or "run out" it compares
 * with {@code now}.
 *
 * <p><b>Order.</b> Jobs are handed out by priority, lowest first, and within one priority in the order of their
 * insertion. A job with {@link JobOptions#lifo()} is inserted before all of its priority, any other behind
 * all. A job that comes back to {@code waiting} keeps its place.
 *
 * <p><b>Locks.</b> Each hand-out has a token of its own, {@link JobData#lockToken()}. Commands that take a
 * {@link JobLock} are fenced: they act only while the job is active under that token, so that a worker that
 * lost its job can do nothing to it. A lock that has run out stays valid until somebody else ends the hand-out
 * or takes it away. Methods that take a job's id alone are not fenced.
 *
 * <p><b>Flows.</b> A parent is changed by its children only while it is {@code waiting-children} (by {@link
 * #failParentOnChildFailure} also while it is {@code waiting}), and by each child once, also if that child is
 * run again later; news that come late change nothing. So do those of a child that its parent does not name ({@link
 * JobData#isParentOf}): a job of an earlier flow whose parent's id another job has by now. When a child completes, it
 * counts as done. When it fails for good, is cancelled, or is removed before it has ended ({@link #removeJob}, {@link
 * #drain}, {@link #obliterate}), the parent's {@link JobOptions#failParentOnChildFailure()} decides: {@code fail} fails
 * the parent with {@value JobTransitions#CHILD_FAILED} and the child's reason, which counts as the failure of a
 * child for the parent's own parent, and so on; {@code ignore} counts the child as done; {@code remove} removes
 * the parent, which counts as a removal for the parent's own parent. All of it happens in the transaction that
 * ends or removes the child. A parent whose last child is done becomes {@code waiting}, or {@code delayed} while
 * its {@code delayUntil} is after {@code now}. {@link #updateJob}, {@link #notifyChildCompleted} and {@link
 * #failParentOnChildFailure} change the named job alone.
 *
 * <p><b>Deduplication.</b> A job stands for its deduplication key while it is open and its {@code
 * deduplication.ttl}, counted from its creation, is not past. Of jobs with one key in one queue at most one
 * stands for it, however many are saved at once. A job that comes back from a terminal state keeps its key
 * only if no other open job has it then, else it loses it; of several that come back together the last to end comes
 * first. A job whose time for its key is past still says which it was.
 *
 * <p><b>Many jobs.</b> {@link #retryJobs}, {@link #promoteDelayedJobs}, {@link #promoteJobs}, {@link #clean}, {@link
 * #removeExpiredJobs}, {@link #drain}, {@link #obliterate} and {@link #redriveDeadLetters} may be carried out in
 * parts, each atomic by itself, so that none takes longer the more jobs there are. Competing callers see some of the
 * jobs changed and others not yet, never one half changed; each job is changed and counted by one of them. A job that
 * somebody else is changing at that moment may be passed over, by an end that removes jobs by their number too, and
 * one that is added or comes to be meant meanwhile may be left. Where the call fails, or its process ends, what was
 * done stays done, and the same call made again does the rest: it counts, and answers, only what it did itself. A
 * queue of at most 1 000 jobs is drained in one part, unless they have very many lines of log, and obliterated in one
 * part where it has at most 1 000 schedules, metrics, groups and hand-outs of fetches with a rate limit each, too.
 *
 * <p><b>Events.</b> A store publishes nothing by itself, with the exception of {@link #cancelJob}; whoever
 * commands says so, with {@link #publish}, when the command was carried out.
 */
public interface JobStore {
  /** The name that stands for all names of a queue where it is paused and in metrics = {@value}. */
  String ALL = "__all__";

  /** Jobs of each state of a queue that lists of queues and searches look at, at least = {@value}. */
  int MOST_LOOKED_AT = 10_000;

  /** The most characters of a text that may be long, where a job is summed up = {@value}. */
  int SUMMARY_CHARACTERS = 1_000;

  /**
   * Hand-outs in turn and additions of jobs for which a group without a waiting job is remembered, at least = {@value}.
   */
  int TURNS_REMEMBERED = 100_000;

  // Lifecycle

  /**
   * Opens the store and applies migrations unless configured not to. Safe from many processes at once; connecting
   * twice is harmless. Fails with {@link ErrorCode#STORAGE_UNAVAILABLE} when the backend cannot be reached.
   */
  Future<Void> connect();

  /** Frees everything and drops all subscribers. Twice is harmless; afterwards the store may connect again. */
  Future<Void> disconnect();

  // Jobs

  /**
   * Stores jobs, in their order and in one transaction; answer <i>i</i> belongs to job <i>i</i>.
   *
   * <p>A job whose id is taken in the queue, by a job in whatever state, is not stored: that job is answered. So
   * is one whose deduplication key an open job stands for, with what its own {@link JobDeduplication.Mode} does
   * to that job, as {@link JobTransitions#replaced} says. Jobs of one call deduplicate each other as if they came one
   * after the other: one that is replaced keeps its place. Competing calls store one job of a key.
   *
   * <p>Fails with {@link StorageConflictKind#QUEUE_CAPACITY}, and stores nothing, when a job that would be stored
   * finds {@link JobGroup#maxSize()} jobs of its group waiting, those earlier in the call included.
   */
  Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> jobs, Instant now);

  /** As {@link #saveJobs}, for one job; answers the id of the job that stands for it. */
  default Future<String> saveJob(String queueName, NewJob job, Instant now) {
    return saveJobs(queueName, List.of(job), now).map(saved -> saved.get(0).id());
  }

  /** As {@link #saveJobs}; answers the ids. */
  default Future<List<String>> saveBulk(String queueName, List<NewJob> jobs, Instant now) {
    return saveJobs(queueName, jobs, now)
        .map(saved -> saved.stream().map(SavedJob::id).toList());
  }

  /** The job with logs, stacks and hand-outs, or empty. */
  Future<Optional<JobData>> getJob(String queueName, String jobId);

  /**
   * Writes the fields given and no others. Replaced options change the priority, never group or key. Lines of log that
   * are given replace all there are, and belong to the present hand-out. An update that leaves {@code active} ends the
   * hand-out, of which nothing is recorded but what the update gives, and that it completed where the job then has. One
   * that sets {@code completed} or {@code failed} raises the metrics. Parents, series and removal are left alone. An
   * unknown job is no failure.
   */
  Future<Void> updateJob(String queueName, String jobId, JobUpdate updates);

  /**
   * As {@link #updateJob(String, String, JobUpdate)}, under the token: what a handler says of its job. False, and no
   * change, when the lock is lost.
   */
  Future<Boolean> updateJob(JobLock lock, JobUpdate updates);

  /**
   * As {@link #updateJob(String, String, JobUpdate)}, if the job is in one of these states; comparing and writing
   * are one step. Fails with {@link StorageConflictKind#JOB_STATE} otherwise, also for an unknown job, and
   * writes nothing; the failure's meta names {@code jobId}, {@code currentState} ({@code unknown} where there
   * is no job) and {@code expectedStates}.
   */
  Future<Void> updateJob(
      String queueName, String jobId, JobUpdate updates, List<JobState> expectedStates);

  /**
   * Removes a job in whatever state; one that is active is lost for its worker. An open child counts for its
   * parent.
   *
   * @return the ancestors that changed, from the nearest upwards; none for an unknown job
   */
  Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now);

  // Deduplication

  /** The job that stands for this key, or empty. */
  Future<Optional<JobData>> findByDeduplicationKey(String queueName, String key, Instant now);

  // Hand-out

  /**
   * Hands out waiting jobs, each to one caller: they become active under new tokens, with {@code processedAt} and
   * {@code lockUntil} counted from {@code now}. The order is that of the answer. Never more than {@code limit},
   * fewer only when no more may be handed out. However many fetch at once, no job is handed out twice and none of
   * the limits is exceeded; a fetch may pass over a job that a competitor is taking or changing at that moment, never
   * one for good.
   *
   * <p>Paused names are passed over, and all jobs while {@link #ALL} is paused. Nothing is promoted. Logs, stacks
   * and hand-outs are not read.
   *
   * <p>{@link FetchOptions#isGrouped() Grouped}, each job comes from the eligible group that was served least
   * recently by such a fetch, of those never served the one whose best job comes first in the usual order; jobs
   * without a group are one more group, without a limit. A group is eligible that has a job to hand out, is not
   * excluded and has fewer active jobs than {@code groupConcurrency}. Priority orders the jobs of a group, not
   * groups. A fetch of several equals as many fetches of one. A group whose job is passed over keeps its turn, and
   * those behind it are served meanwhile. {@link #removeExpiredJobs} may forget when a group was served that has no
   * waiting job, after {@value #TURNS_REMEMBERED} hand-outs in turn or additions of jobs in any
   * queue: it counts as never served then.
   *
   * <p>A rate limit counts the hand-outs of fetches with a rate limit whose {@code now} is less than {@code
   * duration} before this one's, or after it: a fetch may come {@link RateLimit#MOST_LATE} late, and no window is
   * exceeded by it. They are remembered for the longest window of a fetch that is remembered itself: a window that
   * is used less often than once in its own length may count too few of those with a shorter one.
   */
  Future<List<JobData>> fetchNextJobs(FetchJobs command);

  /** As {@link #fetchNextJobs}, for one job, whatever the command's limit. */
  default Future<Optional<JobData>> fetchNextJob(FetchJobs command) {
    return fetchNextJobs(command.upTo(1)).map(jobs -> jobs.stream().findFirst());
  }

  /** Locks an active job, whoever has it, until {@code now} and this long. False, and no change, otherwise. */
  Future<Boolean> extendLock(String queueName, String jobId, Duration duration, Instant now);

  /** As {@link #extendLocks}, for one hand-out. */
  default Future<LockStatus> extendLock(JobLock lock, Duration duration, Instant now) {
    return extendLocks(List.of(lock), duration, now).map(all -> all.get(0));
  }

  /**
   * Locks hand-outs until {@code now} and this long, each only under its token; answer <i>i</i> belongs to lock
   * <i>i</i>. A lock never gets shorter, and one that had run out at {@code now} is extended like any other. One of a
   * job that somebody is changing at that moment may be answered as held and be extended by the next call only, or as
   * lost where it had run out at {@code now}: it keeps no other from being extended.
   */
  Future<List<LockStatus>> extendLocks(List<JobLock> locks, Duration duration, Instant now);

  /**
   * Takes lock and token of a job away, whoever has it; the state stays, so that an active job stays active
   * and never stalls. An unknown job is no failure.
   */
  Future<Void> releaseLock(String queueName, String jobId);

  /** As {@link #releaseLock(String, String)}, under the token; false, and no change, when the lock is lost. */
  Future<Boolean> releaseLock(JobLock lock);

  // The end of a hand-out

  /**
   * Ends hand-outs, each only under its token; answer <i>i</i> belongs to command <i>i</i>. Each command is one
   * transaction: the job as {@link JobTransitions#ended} says, its hand-out in the history, and, where it ends
   * here for good,
   *
   * <ul>
   *   <li>its ancestors (see above), which are also subject to the next three;
   *   <li>the copy in the dead-letter queue, when it failed and was not cancelled: a new waiting job with the same
   *       name, payload and priority, {@link JobData#deadLetter()} set;
   *   <li>its removal: at once, or by number those of the queue that ended alike longest ago, at most 1 000 at a
   *       time, fewer where they have very many lines of log; by age {@link #removeExpiredJobs} does it later. The
   *       jobs that the command ends have ended last, whatever the clocks of others say, the job itself before its
   *       ancestors: who keeps one job keeps itself, and the answer says of each whether it is gone when all is done.
   *       One that another command of the call names, and an ancestor of that, may be passed over: it goes with the
   *       next end;
   *   <li>the metrics;
   *   <li>{@link FinishJob#next()}, stored as by {@link #saveJobs}, but without regard to the size of its group.
   * </ul>
   *
   * <p>A store that dies carries out all or nothing of a command. Whether the commands of one call are one
   * transaction is open. A command that is sent again after its answer was lost finds the lock lost.
   */
  Future<List<FinishResult>> finishJobs(List<FinishJob> commands);

  /** As {@link #finishJobs}, for one. */
  default Future<FinishResult> finishJob(FinishJob command) {
    return finishJobs(List.of(command)).map(all -> all.get(0));
  }

  /**
   * Ends hand-outs and then hands out jobs, for a worker that wants the next job for each slot that becomes free: as
   * {@link #finishJobs} and after it {@link #fetchNextJobs}. The fetch sees what the ends have changed: a job that is
   * to be tried again at once and a parent whose last child has ended may be handed out by this very call, and an
   * ended job takes no room in a group or the queue any more. Jobs are handed out also where a lock was lost.
   *
   * <p>A store may hand out before it carries out those ends that change more than their own job, and what is left of
   * the limit after them: then a job that waits since those is passed over where others fill the call, and has its turn
   * in the next one. No place stays empty because of it.
   *
   * <p>Others may get between the ends and the hand-out. When the call fails, it is unknown which ends were carried
   * out, and jobs that were handed out nevertheless are locked until their locks run out.
   */
  Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command);

  /**
   * Fails an open job for good, whoever has it, with all that follows as in {@link #finishJobs}; a series
   * does not continue. Empty, and no change, for a job that is terminal or unknown.
   */
  Future<Optional<FinishedJob>> failJob(String queueName, String jobId, String reason, Instant now);

  /**
   * Asks for the cancellation of an active job: sets {@code cancelledAt} and publishes {@link
   * dev.runlane.jobs.StoreEventType#JOB_CANCELLED}. True also when that was done before, in which case only the
   * event is repeated; false, and no change, for a job that is not active.
   */
  Future<Boolean> cancelJob(String queueName, String jobId, Instant now);

  /**
   * Cancels an open job: one that is active as {@link #cancelJob} does, any other ends at once as {@link
   * JobTransitions#cancelled} says, with all that follows as in {@link #finishJobs}; a series does not continue.
   * Publishes in the first case only.
   */
  Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now);

  // Logs and hand-outs

  /** Adds a line to the log, of which the last {@value JobData#MOST_LOG_LINES} are kept. False for an unknown job. */
  Future<Boolean> appendLog(String queueName, String jobId, String line);

  /** As {@link #appendLog(String, String, String)}, under the token; false, and no change, when the lock is lost. */
  Future<Boolean> appendLog(JobLock lock, String line);

  /** The lines of the log from {@code start} to {@code end}, exclusive, oldest first. */
  Future<List<String>> getLogs(String queueName, String jobId, int start, int end);

  /** Empties the log, also those of the hand-outs. An unknown job is no failure. */
  Future<Void> clearLogs(String queueName, String jobId);

  /**
   * The last {@value JobData#MOST_ATTEMPTS_KEPT} hand-outs, oldest first, the running one included. Empty for an
   * unknown job.
   */
  Future<List<AttemptRecord>> listAttempts(String queueName, String jobId);

  // Counts and lists

  /** How many jobs are active. */
  Future<Long> getActiveCount(String queueName);

  /**
   * Jobs in a state, from {@code start} to {@code end}, exclusive: completed and failed ones by their end,
   * last first, before them those that were said to have ended without saying when, all others by their creation,
   * oldest first.
   */
  Future<List<JobData>> listJobs(String queueName, JobState state, int start, int end);

  /** How many jobs are in a state. */
  Future<Long> countJobs(String queueName, JobState state);

  /** How many jobs are in each of the six states. */
  Future<Map<JobState, Long>> getJobCounts(String queueName);

  /**
   * All queues that have jobs, by name; names and keys stand in the order of their code points. So that it does not
   * cost more the more jobs there are, a store may look at {@value #MOST_LOOKED_AT} jobs of each state of a queue
   * only, those that are last in their order: a count of so many then means so many or more, and the latest activity
   * and the jobs that repeat are those of the jobs it looked at. {@link #getJobCounts} counts all.
   */
  Future<List<QueueInfo>> listQueues();

  /** As {@link #getJob}, in any queue; where several have the id, the oldest. */
  Future<Optional<JobData>> findJobById(String jobId);

  /**
   * Jobs whose name has this part, in any case and verbatim, the newest first. Searches are bounded: of each state of a
   * queue a store may look at {@value #MOST_LOOKED_AT} jobs only, those that are last in their order (the last to be
   * handed out, due, made or ended), and a page's total counts what it found among them.
   *
   * @param queueName the queue, or empty for all
   */
  Future<List<JobData>> searchByName(String query, Optional<String> queueName, int limit);

  /** Jobs whose payload's JSON text has this part, in any case and verbatim, the newest first; bounded likewise. */
  Future<List<JobData>> searchByPayload(String queueName, String query, int limit);

  /** Jobs that fit, the newest first, from {@code start} to {@code end}, exclusive; bounded likewise. */
  Future<JobPage> searchJobs(SearchJobsFilter filter, int start, int end);

  /**
   * As {@link #searchJobs}, in summaries for lists: without what a job has that may be large. A payload is {@code
   * null}, what was returned null, ids of children none, and reasons of failures, a dead letter's among them, are cut
   * to {@value #SUMMARY_CHARACTERS} characters. A store does not read what it leaves out.
   */
  default Future<JobPage> searchSummaries(SearchJobsFilter filter, int start, int end) {
    return searchJobs(filter, start, end)
        .map(
            page -> new JobPage(page.jobs().stream().map(JobSummaries::of).toList(), page.total()));
  }

  /**
   * Jobs that have children, the newest first.
   *
   * @param state their state, or empty for any
   */
  Future<List<JobData>> listFlowParents(Optional<JobState> state, int limit);

  // Delayed jobs

  /** When the next delayed job is due, past or not, or empty where none is delayed. */
  Future<Optional<Instant>> getNextDelayedTimestamp(String queueName);

  /**
   * Lets delayed jobs wait that are due at this instant or before, by at most {@value JobChecks#MOST_ENTRIES}. May be
   * done in parts.
   *
   * @return how many; each job is counted by one of competing callers
   */
  Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp);

  /**
   * Lets all delayed jobs wait, also those without a due time. May be done in parts.
   *
   * @return how many
   */
  Future<Integer> promoteJobs(String queueName);

  // Pausing

  /** Pauses a name, or everything under {@link #ALL}. Twice is harmless; outlives the process where jobs do. */
  Future<Void> pauseJobName(String queueName, String jobName);

  /** Takes back exactly this pause; other names, and {@link #ALL}, stay as they are. */
  Future<Void> resumeJobName(String queueName, String jobName);

  /** What is paused, in any order. */
  Future<List<String>> getPausedJobNames(String queueName);

  // Maintenance

  /** Active jobs whose lock has run out, those first that did so first. Jobs without a lock never stall. */
  Future<List<JobData>> getStalledJobs(String queueName, Instant now, int limit);

  /**
   * Removes terminal jobs that ended more than {@code grace} ago. May be done in parts. Fails with {@link
   * ErrorCode#VALIDATION_FAILED} for a state that is not terminal.
   *
   * @return how many
   */
  Future<Integer> clean(String queueName, JobState state, Duration grace, Instant now);

  /**
   * Removes all waiting, delayed and waiting-children jobs. Children count for parents that stay. May be done in parts,
   * parents before their children: no parent that goes learns of a child, and where the call fails some children may
   * be left without their parents. The dead letter of a parent elsewhere that fails with its child comes after the
   * removal, so that it stays where it goes to this queue; where there are several parts, the next one may remove it.
   *
   * @return the ancestors that changed, those of this queue that were removed left out
   */
  Future<List<JobChange>> drain(String queueName, Instant now);

  /**
   * Deletes all of a queue: jobs, pauses, groups, rate limit, schedules, metrics. Open children count for parents
   * of other queues. Fails with {@link StorageConflictKind#JOB_STATE} while a job is active, unless forced; where it is
   * done in parts and one becomes active after the first, what was deleted by then is gone.
   *
   * @return the ancestors of other queues that changed
   */
  Future<List<JobChange>> obliterate(String queueName, Obliterate how, Instant now);

  /**
   * Puts all jobs back that completed or failed, to be tried as if for the first time ({@link
   * JobTransitions#retried}); what is kept of their hand-outs stays, but for the stacks. Parents are left alone. Jobs
   * in any other state are not put back: 0. May be done in parts; one that ends again meanwhile is not put back again.
   *
   * @return how many
   */
  Future<Integer> retryJobs(String queueName, JobState state);

  /** As {@link #retryJobs(String, JobState)}, for those failed jobs that fit. */
  Future<Integer> retryJobs(String queueName, FailedJobsFilter filter);

  /**
   * How many failed jobs fit. May be counted in parts: one that fails, or is put back, meanwhile may be counted or not.
   */
  Future<Long> countJobs(String queueName, FailedJobsFilter filter);

  /**
   * Removes terminal jobs that their options' {@link JobRemoval#age()} has made due, the first due first.
   *
   * @return how many; {@code limit} means there may be more
   */
  Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit);

  /**
   * Takes waiting jobs out of a dead-letter queue, oldest first, and stores each anew in the queue it came from,
   * with its options and a new id, as by {@link #saveJobs} without regard to the size of its group. Jobs that
   * came there in another way are left.
   *
   * @return the jobs that stand for them now
   */
  Future<List<JobRef>> redriveDeadLetters(String queueName, int limit, Instant now);

  // Events

  /**
   * Adds a listener for a queue's events; the same one twice counts once. In force for events of this store object
   * when the call returns, and for those of others when the future completes; without {@link #sharesEvents()}
   * there are none of others. The listener is called by any thread and must not block. What it throws goes to
   * {@link JobStoreOptions#getOnEventHandlerError()} and stops nobody else.
   */
  Future<Void> subscribe(String queueName, Consumer<StoreEvent> listener);

  /** Removes one listener: it is not called any more when the call has returned. */
  Future<Void> unsubscribe(String queueName, Consumer<StoreEvent> listener);

  /** Removes all listeners of a queue. */
  Future<Void> unsubscribe(String queueName);

  /**
   * Publishes an event. When the future completes, every listener of this store object has been called, exactly once;
   * those of others are called soon, and miss it only when connections fail. An event of any size, in a queue with
   * any name, is published; its data may be missing elsewhere.
   */
  Future<Void> publish(StoreEvent event);

  /** As {@link #publish}, for several in their order. */
  Future<Void> publishAll(List<StoreEvent> events);

  /** Whether events reach other store objects on the same state, in other processes too. */
  boolean sharesEvents();

  // Flows

  /**
   * Stores a flow, in the order given, possibly in several queues: all of it or nothing. Fails with {@link
   * StorageConflictKind#JOB_ID} when an id is taken, and with {@link ErrorCode#VALIDATION_FAILED} for
   * deduplication or repetition inside a flow, and for a job that is its own ancestor.
   *
   * @return the ids in the order given
   */
  Future<List<String>> saveFlow(List<FlowNode> jobs, Instant now);

  /**
   * Counts a child as done: lowers the parent's pending count by one, not below 0. At 0 the parent becomes waiting,
   * or delayed while it is not due; of competing calls exactly one sees that change.
   *
   * @return the parent's state afterwards; completed, and no change, for one that is unknown or not {@code
   *     waiting-children}
   */
  Future<JobState> notifyChildCompleted(String parentQueueName, String parentId, Instant now);

  /**
   * Fails a parent that is {@code waiting-children} or waiting, with {@value JobTransitions#CHILD_FAILED} and this
   * reason. False, and no change, for any other.
   */
  Future<Boolean> failParentOnChildFailure(
      String parentQueueName, String parentId, String reason, Instant now);

  /**
   * All jobs, of any queue, that name this parent, oldest first. The parent need not exist, or be the one that they are
   * children of: {@link JobData#isParentOf} says so.
   */
  Future<List<JobData>> getChildrenJobs(String parentQueueName, String parentId);

  /**
   * The first children of a job, oldest first, in summaries as those of {@link #searchSummaries}: of the jobs that name
   * it as their parent those that are children of it by {@link JobData#isParentOf}. None of a job that is unknown.
   *
   * @param limit at least 1, at most {@value JobChecks#MOST_ENTRIES}
   */
  default Future<List<JobData>> getChildrenSummaries(
      String parentQueueName, String parentId, int limit) {
    return JobSummaries.ofChildren(this, parentQueueName, parentId, limit);
  }

  // Groups

  /** How many jobs of a group are active. */
  Future<Long> getGroupActiveCount(String queueName, String groupId);

  /** How many jobs of a group are waiting. */
  Future<Long> getWaitingGroupCount(String queueName, String groupId);

  // Named schedules

  /**
   * Makes or changes a schedule; the last to write wins. Where {@code repeat} equals what is stored, the next fire
   * and the count stay, so that saying the same again after each start of a program neither doubles nor delays
   * a fire; where it differs they begin anew.
   *
   * @return the schedule as it is now
   */
  Future<JobSchedule> upsertSchedule(UpsertSchedule command);

  /** The schedule, or empty. */
  Future<Optional<JobSchedule>> getSchedule(String queueName, String key);

  /** All schedules of a queue, by key. */
  Future<List<JobSchedule>> listSchedules(String queueName);

  /** As {@link #listSchedules}, in summaries for lists: the payloads, which are not read, are {@code null}. */
  default Future<List<JobSchedule>> listScheduleSummaries(String queueName) {
    return listSchedules(queueName)
        .map(schedules -> schedules.stream().map(JobSummaries::of).toList());
  }

  /** Removes a schedule; jobs that it made stay. False where there was none. */
  Future<Boolean> removeSchedule(String queueName, String key);

  /** Schedules whose next fire is at {@code now} or before, the first due first. */
  Future<List<JobSchedule>> listDueSchedules(String queueName, Instant now, int limit);

  /** The next fire of all schedules of a queue, past or not, or empty. */
  Future<Optional<Instant>> getNextScheduleTimestamp(String queueName);

  /**
   * Fires a schedule: in one transaction stores the job, as by {@link #saveJobs} without regard to the size of its
   * group and with the schedule's key on it, and moves the schedule on. Of competing calls for one {@code dueAt}
   * exactly one does it. What becomes of the job has no influence on the schedule.
   *
   * @return what became of the job; empty, and no change, when {@code dueAt} is not the schedule's next fire, or when
   *     it repeats otherwise by now: who changed that while it was due said its next fire anew
   */
  Future<Optional<SavedJob>> fireSchedule(FireSchedule command);

  // Metrics

  /**
   * Buckets that begin in a range, by their start and then by name. Fails with {@link
   * ErrorCode#CAPABILITY_UNSUPPORTED} while metrics are off. A failure to keep metrics fails nothing else.
   */
  Future<List<MetricsBucket>> getMetrics(MetricsQuery query);

  /**
   * Brings the buckets of hours up to date with those of minutes, each counted once however often this is called,
   * and removes those that began before their retention. What was counted in a minute more than an hour before the
   * newest hour of its queue may be added by a later call, an hour later at the latest. May be done in parts: where it
   * fails, what was added stays added. Fails as {@link #getMetrics}.
   */
  Future<Void> aggregateMetrics(Instant now);

  // Webhooks

  /** Which ends of jobs webhooks are notified of; empty for a store that keeps no ends for them. */
  default Optional<JobWebhookStore> webhooks() {
    return Optional.empty();
  }
}
