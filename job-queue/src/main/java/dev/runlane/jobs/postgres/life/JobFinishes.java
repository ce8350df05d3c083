package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.log.JobMetrics;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.PooledTransactions;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.StatementFailures;
import dev.runlane.run.Json;
import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Ends hand-outs, many in one statement or, where more than their own rows changes, in one transaction. */
public final class JobFinishes {
  private final JobSession session;
  private final PooledTransactions transactions;
  private final JobMetrics metrics;

  public JobFinishes(JobSession session, PooledTransactions transactions, JobMetrics metrics) {
    this.session = session;
    this.transactions = transactions;
    this.metrics = metrics;
  }

  /** Completions of one queue that change nothing but their own rows; empty for one that needs more. */
  public static BatchStatement<FinishJob, Optional<FinishResult>> plain(PlainEnds ends) {
    return new BatchStatement<>() {
      @Override
      public List<String> keys(FinishJob command) {
        return keysOf(command);
      }

      @Override
      public long bytes(FinishJob command) {
        return bytesOf(command);
      }

      @Override
      public Future<List<CommandOutcome<Optional<FinishResult>>>> execute(
          List<FinishJob> commands) {
        return ends.complete(commands).map(JobFinishes::succeeded);
      }
    };
  }

  /** Ends of any kind. */
  public BatchStatement<FinishJob, FinishResult> any() {
    return new BatchStatement<>() {
      @Override
      public List<String> keys(FinishJob command) {
        return keysOf(command);
      }

      @Override
      public long bytes(FinishJob command) {
        return bytesOf(command);
      }

      @Override
      public Future<List<CommandOutcome<FinishResult>>> execute(List<FinishJob> commands) {
        return transactions.once(tx -> finish(tx, commands)).map(JobFinishes::succeeded);
      }

      /** A job that cannot be read, or whose parent cannot, keeps no other from ending. */
      @Override
      public StatementFailures failures() {
        return PgFailures.OF_TRANSACTIONS;
      }
    };
  }

  /** About how much the end of a job holds: what it returned, and the data of the next of its series. */
  public static long bytesOf(FinishJob command) {
    Json returned =
        command.outcome() instanceof JobOutcome.Completed done ? done.returnvalue() : null;
    NewJob next = command.next();
    return (returned == null ? 0 : returned.text().length())
        + (next == null ? 0L : next.data().text().length());
  }

  private static List<String> keysOf(FinishJob command) {
    return List.of(command.lock().queueName() + '\0' + command.lock().jobId());
  }

  private static <R> List<CommandOutcome<R>> succeeded(List<R> results) {
    return results.stream()
        .map(result -> (CommandOutcome<R>) new CommandOutcome.Succeeded<>(result))
        .toList();
  }

  private static JobRef ref(FinishJob command) {
    return new JobRef(command.lock().queueName(), command.lock().jobId());
  }

  private Future<List<FinishResult>> finish(JobSession tx, List<FinishJob> commands) {
    JobSaves saves = new JobSaves(tx);
    Map<String, List<NewJob>> following = new LinkedHashMap<>();
    commands.stream().filter(command -> command.next() != null).forEach(command -> following
        .computeIfAbsent(command.lock().queueName(), queue -> new ArrayList<>())
        .add(Objects.requireNonNull(command.next())));
    JobWork work = new JobWork(tx, metrics);
    return saves
        .lockNames(following, false)
        .compose(locked -> work.lock(commands.stream().map(JobFinishes::ref).toList()))
        .compose(locked -> {
          List<@Nullable Done> done = new ArrayList<>();
          commands.forEach(command -> done.add(end(work, command)));
          return work.write().compose(written -> storeNext(saves, commands, done));
        });
  }

  private @Nullable Done end(JobWork work, FinishJob command) {
    StoredJob row = work.get(ref(command));
    if (row == null
        || !command.lock().token().equals(row.job().lockToken())
        || !isStillDue(row.job(), command)) {
      return null;
    }
    JobData before = row.job();
    Instant now = command.now();
    StoredJob after = row.with(JobTransitions.ended(before, command));
    record(session, work, row, command.outcome(), now);
    if (!after.job().state().isTerminal()) {
      work.put(after);
      return new Done(JobChange.of(after.job(), false), List.of(), null, false);
    }
    JobWork.End end = work.end(after, now);
    return new Done(
        JobChange.of(after.job(), work.isRemoved(after.ref())),
        end.ancestors(),
        end.deadLetter(),
        JobTransitions.next(after.job(), command) != null);
  }

  /** A stall is one only while the lock has run out. */
  private static boolean isStillDue(JobData job, FinishJob command) {
    return !(command.outcome() instanceof JobOutcome.Stalled)
        || (job.lockUntil() != null && job.lockUntil().isBefore(command.now()));
  }

  /** Adds the hand-out to the job's history. */
  public static void record(
      JobSession session, JobWork work, StoredJob before, JobOutcome outcome, Instant now) {
    JobOutcome taken = JobTransitions.effective(before.job(), outcome);
    int attempt = before.job().startedAttempts();
    work.append(new JobEntry(
        before.ref(),
        JobEntry.Kind.RECORD,
        attempt,
        session.json().attempt(JobTransitions.attempt(before.job(), outcome, List.of(), now))));
    JobTransitions.stacktrace(taken)
        .ifPresent(
            stack -> work.append(new JobEntry(before.ref(), JobEntry.Kind.STACK, attempt, stack)));
  }

  /** Stores what follows, the jobs of a queue together, after the ended ones have let go of their keys. */
  private static Future<List<FinishResult>> storeNext(
      JobSaves saves, List<FinishJob> commands, List<@Nullable Done> done) {
    Map<String, List<Integer>> following = new LinkedHashMap<>();
    for (int index = 0; index < commands.size(); index++) {
      Done ended = done.get(index);
      if (ended != null && ended.seriesContinues()) {
        following
            .computeIfAbsent(commands.get(index).lock().queueName(), queue -> new ArrayList<>())
            .add(index);
      }
    }
    Map<Integer, SavedJob> saved = new HashMap<>();
    Future<Void> stored = Future.succeededFuture();
    for (Map.Entry<String, List<Integer>> each : following.entrySet()) {
      stored = stored.compose(
          before -> storeNext(saves, commands, each.getKey(), each.getValue(), saved));
    }
    return stored.map(all -> {
      List<FinishResult> results = new ArrayList<>();
      for (int index = 0; index < done.size(); index++) {
        Done ended = done.get(index);
        results.add(
            ended == null
                ? new FinishResult.LockLost()
                : new FinishResult.Finished(new FinishedJob(
                    ended.change(), ended.ancestors(), saved.get(index), ended.deadLetter())));
      }
      return results;
    });
  }

  private static Future<Void> storeNext(
      JobSaves saves,
      List<FinishJob> commands,
      String queue,
      List<Integer> places,
      Map<Integer, SavedJob> saved) {
    List<NewJob> jobs = places.stream()
        .map(place -> Objects.requireNonNull(commands.get(place).next()))
        .toList();
    Instant now = commands.get(places.get(0)).now();
    return saves.save(queue, jobs, now, false).map(all -> {
      for (int index = 0; index < all.size(); index++) {
        saved.put(places.get(index), all.get(index));
      }
      return null;
    });
  }

  /**
   * @param change what became of the job
   * @param ancestors what became of those above it
   * @param deadLetter its copy, or null
   * @param seriesContinues whether the next job of its series is stored
   */
  private record Done(
      JobChange change,
      List<JobChange> ancestors,
      @Nullable JobRef deadLetter,
      boolean seriesContinues) {}
}
