package dev.runlane.jobs.postgres.operate;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.life.BulkChanges;
import dev.runlane.jobs.postgres.life.JobEntries;
import dev.runlane.jobs.postgres.life.JobFinishes;
import dev.runlane.jobs.postgres.life.JobSaves;
import dev.runlane.jobs.postgres.life.JobWork;
import dev.runlane.jobs.postgres.life.NameLocks;
import dev.runlane.jobs.postgres.log.JobMetrics;
import dev.runlane.jobs.postgres.row.JobRows;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.postgres.row.JobTransactions;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlResult;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes of single jobs and of whole queues, apart from hand-outs. */
public final class JobChanges {
  private static final SqlStatement<Cancellation> REQUEST_CANCELLATION = SqlStatement.of(
      "request_cancellation",
      new Parameters<Cancellation>()
          .of(Cancellation::job, JobStatements.OF_JOB)
          .time("now", Cancellation::now));
  private static final SqlStatement<JobStatements.Due> PROMOTE_DUE = SqlStatement.of(
      "promote_due",
      new Parameters<JobStatements.Due>()
          .value("queue", JobStatements.Due::queue)
          .time("until", JobStatements.Due::at)
          .value("limit", JobStatements.Due::limit));
  private static final SqlStatement<Letters> LOCK_DEAD_LETTERS = SqlStatement.of(
      "lock_dead_letters",
      new Parameters<Letters>()
          .value("queue", Letters::queue)
          .value("from", Letters::from)
          .value("from_place", Letters::fromPlace)
          .value("limit", Letters::limit));
  private static final SqlStatement<JobRef> RECORDS_WITH_LINES =
      SqlStatement.of("records_with_lines", JobStatements.OF_JOB);

  public static final List<SqlStatement<?>> STATEMENTS =
      List.of(REQUEST_CANCELLATION, PROMOTE_DUE, LOCK_DEAD_LETTERS, RECORDS_WITH_LINES);

  private static final Logger LOG = LoggerFactory.getLogger(JobChanges.class);

  private final JobSession session;
  private final JobTransactions transactions;
  private final JobMetrics metrics;
  private final QueueRemovals removals;
  private final BulkChanges bulk;

  public JobChanges(JobSession session, JobTransactions transactions, JobMetrics metrics) {
    this.session = session;
    this.transactions = transactions;
    this.metrics = metrics;
    this.removals = new QueueRemovals(transactions, metrics);
    this.bulk = new BulkChanges(transactions);
  }

  public Future<Void> update(
      String queue, String jobId, JobUpdate updates, @Nullable List<JobState> expected) {
    if (updates.fields().isEmpty() && expected == null) {
      return Future.succeededFuture();
    }
    JobRef ref = new JobRef(queue, jobId);
    return transactions.run("updateJob", tx -> {
      JobWork work = new JobWork(tx, metrics);
      return lockKey(tx, queue, updates)
          .compose(locked -> work.lock(List.of(ref)))
          .compose(locked -> {
            StoredJob row = work.get(ref);
            if (expected != null && (row == null || !expected.contains(row.job().state()))) {
              return Future.failedFuture(wrongState(ref, row, expected));
            }
            return row == null ? Future.succeededFuture() : write(tx, work, row, updates);
          });
    });
  }

  /** The same under a token; false when the lock is lost. */
  public Future<Boolean> update(JobLock lock, JobUpdate updates) {
    JobRef ref = new JobRef(lock.queueName(), lock.jobId());
    return transactions.run("updateJob", tx -> {
      JobWork work = new JobWork(tx, metrics);
      return lockKey(tx, lock.queueName(), updates)
          .compose(locked -> work.lock(List.of(ref)))
          .compose(locked -> {
            StoredJob row = work.get(ref);
            return row == null || !lock.token().equals(row.job().lockToken())
                ? Future.succeededFuture(false)
                : write(tx, work, row, updates).map(true);
          });
    });
  }

  /** A key that is given anew is locked like one of a new job. */
  private static Future<Void> lockKey(JobSession tx, String queue, JobUpdate updates) {
    return updates.get(JobUpdate.Field.DEDUPLICATION_KEY) instanceof String key
        ? NameLocks.takeKey(tx, queue, key)
        : Future.succeededFuture();
  }

  private static RunlaneException wrongState(
      JobRef ref, @Nullable StoredJob row, List<JobState> expected) {
    String current = row == null ? "unknown" : row.job().state().value();
    String wanted = expected.stream().map(JobState::value).collect(Collectors.joining(","));
    return RunlaneException.conflict(
            StorageConflictKind.JOB_STATE,
            "job %s of queue %s is %s, not %s",
            ref.jobId(),
            ref.queueName(),
            current,
            wanted)
        .withMeta("jobId", ref.jobId())
        .withMeta("currentState", current)
        .withMeta("expectedStates", wanted);
  }

  private Future<Void> write(JobSession tx, JobWork work, StoredJob row, JobUpdate updates) {
    JobData after = updates.applyTo(row.job());
    JobState given = updates.stateOrNull();
    return JobEntries.keepCompletion(tx, row)
        .compose(kept -> slot(tx, row, after))
        .compose(slot -> {
          JobData kept =
              slot == null && !after.state().isTerminal() && row.job().state().isTerminal()
                  ? after.toBuilder().deduplicationKey(null).build()
                  : after;
          StoredJob written = row.with(kept).holding(slot);
          if (given != null && given.isTerminal()) {
            work.countEnd(kept);
          }
          work.put(written);
          return work.write().compose(done -> writeEntries(tx, kept, updates));
        });
  }

  /** The key that the job holds after the update, if any. */
  private static Future<@Nullable String> slot(JobSession tx, StoredJob row, JobData after) {
    String key = after.deduplicationKey();
    if (key == null || after.state().isTerminal()) {
      return Future.succeededFuture(null);
    }
    boolean held = key.equals(row.slot());
    boolean wasOpen = !row.job().state().isTerminal();
    if (held || (wasOpen && key.equals(row.job().deduplicationKey()))) {
      return Future.succeededFuture(
          row.slot()); // one that lost its key to a later job stays without
    }
    return tx.execute(JobSaves.SLOT_HOLDERS, new JobSaves.OfQueue(after.queueName(), List.of(key)))
        .map(holders -> holders.size() == 0 ? key : null);
  }

  private static Future<Void> writeEntries(JobSession tx, JobData job, JobUpdate updates) {
    JobRef ref = new JobRef(job.queueName(), job.id());
    Future<Void> done = Future.succeededFuture();
    if (updates.has(JobUpdate.Field.LOGS)) {
      List<String> lines = all(updates.get(JobUpdate.Field.LOGS), String.class);
      done = done.compose(before -> JobEntries.replaceLines(tx, ref, job.startedAttempts(), lines));
    }
    if (updates.has(JobUpdate.Field.STACKTRACE)) {
      List<String> stacks = all(updates.get(JobUpdate.Field.STACKTRACE), String.class);
      done = done.compose(before -> JobEntries.replaceStacks(tx, ref, stacks));
    }
    if (updates.has(JobUpdate.Field.ATTEMPT_LOGS)) {
      List<AttemptRecord> records =
          all(updates.get(JobUpdate.Field.ATTEMPT_LOGS), AttemptRecord.class);
      done = done.compose(before -> JobEntries.replaceRecords(tx, ref, records));
    }
    return done;
  }

  private static <T> List<T> all(@Nullable Object values, Class<T> type) {
    return ((List<?>) Objects.requireNonNull(values)).stream().map(type::cast).toList();
  }

  public Future<List<JobChange>> remove(String queue, String jobId, Instant now) {
    JobRef ref = new JobRef(queue, jobId);
    return onOne("removeJob", ref, (work, row) -> work.discard(row, now), List.of());
  }

  private <T> Future<T> onOne(
      String operation, JobRef ref, BiFunction<JobWork, StoredJob, T> change, T unknown) {
    return transactions.run(operation, tx -> {
      JobWork work = new JobWork(tx, metrics);
      return work.lock(List.of(ref)).compose(locked -> {
        StoredJob row = work.get(ref);
        if (row == null) {
          return Future.succeededFuture(unknown);
        }
        T answer = change.apply(work, row);
        return work.write().map(answer);
      });
    });
  }

  public Future<Optional<FinishedJob>> fail(
      String queue, String jobId, String reason, Instant now) {
    return onOne(
        "failJob",
        new JobRef(queue, jobId),
        (work, row) -> row.job().state().isTerminal()
            ? Optional.empty()
            : Optional.of(ended(
                work,
                row,
                JobTransitions.failed(row.job(), reason, now),
                new JobOutcome.Failed(reason, null),
                now)),
        Optional.empty());
  }

  private FinishedJob ended(
      JobWork work, StoredJob row, JobData after, JobOutcome outcome, Instant now) {
    if (row.job().state() == JobState.ACTIVE) {
      JobFinishes.record(session, work, row, outcome, now);
    }
    StoredJob written = row.with(after);
    JobWork.End end = work.end(written, now);
    return new FinishedJob(
        JobChange.of(after, work.isRemoved(written.ref())),
        end.ancestors(),
        null,
        end.deadLetter());
  }

  public Future<Boolean> requestCancellation(String queue, String jobId, Instant now) {
    return session
        .execute(REQUEST_CANCELLATION, new Cancellation(new JobRef(queue, jobId), now))
        .map(rows -> rows.rowCount() > 0);
  }

  public Future<CancelResult> cancelOpen(String queue, String jobId, Instant now) {
    return onOne(
        "cancelOpenJob",
        new JobRef(queue, jobId),
        (work, row) -> {
          JobData job = row.job();
          if (job.state().isTerminal() || job.cancelledAt() != null) {
            return new CancelResult.Unchanged();
          }
          if (job.state() == JobState.ACTIVE) {
            work.put(row.with(job.toBuilder().cancelledAt(now).build()));
            return new CancelResult.Requested();
          }
          JobData after = JobTransitions.cancelled(job, now);
          return new CancelResult.Ended(ended(work, row, after, new JobOutcome.Cancelled(), now));
        },
        new CancelResult.Unchanged());
  }

  public Future<JobState> childCompleted(String queue, String parentId, Instant now) {
    return onOne(
        "notifyChildCompleted",
        new JobRef(queue, parentId),
        (work, row) -> {
          if (row.job().state() != JobState.WAITING_CHILDREN) {
            return JobState.COMPLETED;
          }
          StoredJob after = row.with(JobTransitions.childDone(row.job(), now));
          work.put(after);
          return after.job().state();
        },
        JobState.COMPLETED);
  }

  public Future<Boolean> failParent(String queue, String parentId, String reason, Instant now) {
    return onOne(
        "failParentOnChildFailure",
        new JobRef(queue, parentId),
        (work, row) -> {
          JobState state = row.job().state();
          if (state != JobState.WAITING_CHILDREN && state != JobState.WAITING) {
            return false;
          }
          String message = JobTransitions.CHILD_FAILED + reason;
          work.put(row.with(JobTransitions.failed(row.job(), message, now)));
          return true;
        },
        false);
  }

  // Whole queues

  /** Promotes delayed jobs that are due. */
  public Future<Integer> promote(String queue, Instant until, int limit) {
    return session
        .execute(PROMOTE_DUE, new JobStatements.Due(queue, until, limit))
        .map(SqlResult::rowCount);
  }

  public BulkChanges bulk() {
    return bulk;
  }

  public Future<List<JobChange>> drain(String queue, Instant now) {
    return removals.drain(queue, now);
  }

  public Future<List<JobChange>> obliterate(String queue, Obliterate how, Instant now) {
    return removals.obliterate(queue, how, now);
  }

  /**
   * By parts, each a transaction. A letter stays where it is that cannot be read, or whose key is held by a job that
   * cannot be read, and the log says so.
   */
  public Future<List<JobRef>> redrive(String queue, int limit, Instant now) {
    List<JobRef> redriven = new ArrayList<>();
    AtomicReference<Letters> next = new AtomicReference<>(Letters.first(queue));
    return BulkChanges.removeByParts(limit, size -> {
          Letters part = Objects.requireNonNull(next.get());
          return redrive(part.atLeast(size), size, now).map(some -> {
            next.set(some.next());
            redriven.addAll(some.redriven());
            return new BulkChanges.Part(some.redriven().size(), null, some.mayBeMore());
          });
        })
        .map(count -> List.copyOf(redriven));
  }

  /** Half of the part, and so on, where it fails for one letter, which alone is passed over. */
  private Future<Redriven> redrive(Letters part, int most, Instant now) {
    AtomicReference<Letters> looked = new AtomicReference<>(part);
    return transactions
        .run("redriveDeadLetters", tx -> redrive(tx, part, most, now, looked))
        .recover(failure -> {
          Letters last = Objects.requireNonNull(looked.get());
          boolean unreadable = failure instanceof RunlaneException known
              && known.code() == ErrorCode.INVARIANT_VIOLATION;
          if (!unreadable || last.equals(part)) {
            return Future.failedFuture(failure);
          }
          if (part.limit() > 1) {
            return redrive(part.upTo(part.limit() / 2), most, now);
          }
          LOG.warn("a dead letter of queue {} stays there", part.queue(), failure);
          return Future.succeededFuture(new Redriven(List.of(), last, true));
        });
  }

  private Future<Redriven> redrive(
      JobSession tx, Letters part, int most, Instant now, AtomicReference<Letters> looked) {
    return tx.execute(LOCK_DEAD_LETTERS, part).compose(rows -> {
      List<Row> locked = new ArrayList<>();
      Letters last = part;
      for (Row row : rows) {
        last = part.behind(row);
        if (row.getLong(0) != null) {
          locked.add(row);
        }
      }
      looked.set(last);
      JobRows.Read read = tx.rows().read(locked);
      Letters next = read.others().isEmpty() ? last : last.upTo(BulkChanges.PART);
      List<StoredJob> letters = read.jobs().stream().limit(most).toList();
      return redrive(tx, letters, now)
          .map(stored -> new Redriven(stored, next, rows.size() == part.limit()));
    });
  }

  /** Names are locked together, so that they take few places of the server's locks, in an order that all take. */
  private Future<List<JobRef>> redrive(JobSession tx, List<StoredJob> letters, Instant now) {
    JobWork work = new JobWork(tx, metrics);
    letters.forEach(work::remove);
    JobSaves saves = new JobSaves(tx);
    Map<String, List<NewJob>> again = new LinkedHashMap<>();
    letters.forEach(letter -> again
        .computeIfAbsent(origin(letter), queue -> new ArrayList<>())
        .add(again(letter.job(), now)));
    Map<String, Iterator<SavedJob>> saved = new HashMap<>();
    Future<Void> stored = saves.lockNames(again, false).compose(locked -> work.write());
    for (Map.Entry<String, List<NewJob>> each : again.entrySet()) {
      stored = stored
          .compose(before -> saves.save(each.getKey(), each.getValue(), now, false))
          .map(all -> {
            saved.put(each.getKey(), all.iterator());
            return null;
          });
    }
    return stored.map(all -> letters.stream()
        .map(letter -> new JobRef(
            origin(letter),
            Objects.requireNonNull(saved.get(origin(letter))).next().id()))
        .toList());
  }

  private static String origin(StoredJob letter) {
    return Objects.requireNonNull(letter.job().deadLetter()).queueName();
  }

  private static NewJob again(JobData letter, Instant now) {
    JobOptions options = Objects.requireNonNull(letter.deadLetter()).options();
    return NewJob.of(
        letter.name(), letter.data(), options.toBuilder().jobId(null).build(), now);
  }

  // Logs

  public Future<Void> clearLogs(String queue, String jobId) {
    JobRef ref = new JobRef(queue, jobId);
    return transactions.run("clearLogs", tx -> {
      JobWork work = new JobWork(tx, metrics);
      return work.lock(List.of(ref))
          .compose(locked -> JobEntries.replaceLines(tx, ref, 0, List.of()))
          .compose(gone -> tx.execute(RECORDS_WITH_LINES, ref))
          .compose(rows -> {
            List<AttemptRecord> records = new ArrayList<>();
            rows.forEach(row -> records.add(
                tx.json().attempt(row.getString(0), each -> List.of()).withLogs(List.of())));
            return records.isEmpty()
                ? Future.succeededFuture()
                : JobEntries.replaceRecords(tx, ref, records);
          });
    });
  }

  private record Cancellation(JobRef job, Instant now) {}

  /**
   * Dead letters of a queue, from the oldest on, or behind the one of this time and place.
   *
   * @param limit how many are looked at: more than are redriven where some were met that cannot be read, so that those
   *     behind many such are not looked for a few at a time
   */
  private record Letters(
      String queue, @Nullable OffsetDateTime from, @Nullable Long fromPlace, long limit) {
    static Letters first(String queue) {
      return new Letters(queue, null, null, 0);
    }

    Letters atLeast(int size) {
      return upTo(Math.max(size, limit));
    }

    Letters upTo(long size) {
      return new Letters(queue, from, fromPlace, size);
    }

    Letters behind(Row row) {
      int end = JobRows.width();
      return new Letters(queue, row.getOffsetDateTime(end), row.getLong(end + 1), limit);
    }
  }

  /** What a part did, and which is the next. */
  private record Redriven(List<JobRef> redriven, Letters next, boolean mayBeMore) {}
}
