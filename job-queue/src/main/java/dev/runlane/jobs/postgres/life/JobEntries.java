package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.row.JobRows;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobStatements;
import dev.runlane.jobs.postgres.row.StoredJob;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Lines, stacks and records of hand-outs. The record of the hand-out that runs, and of one that completed, is what
 * the job's row says: only those that ended otherwise are written.
 */
public final class JobEntries {
  private static final SqlStatement<OfKind> DELETE = SqlStatement.of(
      "delete_entries",
      new Parameters<OfKind>()
          .of(OfKind::job, JobStatements.OF_JOB)
          .value("kind", entries -> entries.kind().number()));
  private static final SqlStatement<List<Numbered>> INSERT = SqlStatement.of(
      "insert_entries",
      new Parameters<List<Numbered>>()
          .rows(
              entries -> entries,
              new Columns<Numbered>()
                  .of(Numbered::entry, JobEntry.COLUMNS)
                  .longs("numbers", Numbered::number)));
  private static final SqlStatement<OfAttempt> RECORD = SqlStatement.of(
      "record_of_attempt",
      new Parameters<OfAttempt>()
          .of(OfAttempt::job, JobStatements.OF_JOB)
          .value("attempt", OfAttempt::attempt));

  /** One entry more for each job and kind. */
  static final SqlStatement<List<JobEntry>> APPEND = SqlStatement.of(
      "append_entries",
      new Parameters<List<JobEntry>>()
          .rows(entries -> entries, JobEntry.COLUMNS.integers("limits", each -> each.kind()
              .most())));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(DELETE, INSERT, RECORD, APPEND);

  private JobEntries() {}

  /** Writes the entries that new jobs bring along. */
  static Future<Void> insert(JobSession session, List<StoredJob> jobs) {
    List<Numbered> all = new ArrayList<>();
    for (StoredJob each : jobs) {
      JobData job = each.job();
      all.addAll(lines(each.ref(), job.startedAttempts(), job.logs()));
      all.addAll(stacks(each.ref(), job.stacktrace()));
      all.addAll(records(session, each.ref(), job.attemptLogs()));
    }
    return insertAll(session, all);
  }

  /**
   * Puts these lines in the place of a job's.
   *
   * @param attempt the hand-out they were written in
   */
  public static Future<Void> replaceLines(
      JobSession session, JobRef job, int attempt, List<String> lines) {
    return replace(session, job, JobEntry.Kind.LINE, lines(job, attempt, lines));
  }

  public static Future<Void> replaceStacks(JobSession session, JobRef job, List<String> stacks) {
    return replace(session, job, JobEntry.Kind.STACK, stacks(job, stacks));
  }

  public static Future<Void> replaceRecords(
      JobSession session, JobRef job, List<AttemptRecord> records) {
    return replace(session, job, JobEntry.Kind.RECORD, records(session, job, records));
  }

  private static Future<Void> replace(
      JobSession session, JobRef job, JobEntry.Kind kind, List<Numbered> entries) {
    return session
        .execute(DELETE, new OfKind(job, kind))
        .compose(deleted -> insertAll(session, entries));
  }

  private static Future<Void> insertAll(JobSession session, List<Numbered> entries) {
    if (entries.isEmpty()) {
      return Future.succeededFuture();
    }
    return session.execute(INSERT, entries).mapEmpty();
  }

  private static List<Numbered> lines(JobRef job, int attempt, List<String> lines) {
    return numbered(JobTransitions.newest(lines, JobData.MOST_LOG_LINES).stream()
        .map(line -> new JobEntry(job, JobEntry.Kind.LINE, attempt, line))
        .toList());
  }

  private static List<Numbered> stacks(JobRef job, List<String> stacks) {
    return numbered(JobTransitions.newest(stacks, JobData.MOST_ATTEMPTS_KEPT).stream()
        .map(stack -> new JobEntry(job, JobEntry.Kind.STACK, 0, stack))
        .toList());
  }

  private static List<Numbered> records(
      JobSession session, JobRef job, List<AttemptRecord> records) {
    return numbered(JobTransitions.newest(records, JobData.MOST_ATTEMPTS_KEPT).stream()
        .map(record -> new JobEntry(
            job, JobEntry.Kind.RECORD, record.attempt(), session.json().attempt(record)))
        .toList());
  }

  private static List<Numbered> numbered(List<JobEntry> entries) {
    return IntStream.range(0, entries.size())
        .mapToObj(index -> new Numbered(entries.get(index), index + 1L))
        .toList();
  }

  /** The job of a row of {@code get_job}, with its entries. Throws {@code InvariantViolation} where unreadable. */
  public static JobData withEntries(JobSession session, Row row) {
    JobData job = session.rows().stored(row).job();
    return JobRows.reading(row, () -> withEntries(session, row, job));
  }

  private static JobData withEntries(JobSession session, Row row, JobData job) {
    int next = JobRows.width();
    String[] lines = row.getArrayOfStrings(next);
    Integer[] attempts = row.getArrayOfIntegers(next + 1);
    List<String> stacks = List.of(row.getArrayOfStrings(next + 2));
    List<AttemptRecord> records = new ArrayList<>();
    for (String record : row.getArrayOfStrings(next + 3)) {
      records.add(session.json().attempt(record, attempt -> linesOf(lines, attempts, attempt)));
    }
    JobTransitions.attemptInJob(job, records)
        .ifPresent(last -> records.add(last.withLogs(linesOf(lines, attempts, last.attempt()))));
    return job.toBuilder()
        .logs(List.of(lines))
        .stacktrace(stacks)
        .attemptLogs(JobTransitions.newest(records, JobData.MOST_ATTEMPTS_KEPT))
        .build();
  }

  /** Adds the record of a completion that only the row records; the transaction has locked the row. */
  public static Future<Void> keepCompletion(JobSession session, StoredJob row) {
    Optional<AttemptRecord> completion = row.job().state() == JobState.COMPLETED
        ? JobTransitions.attemptInJob(row.job(), List.of())
        : Optional.empty();
    if (completion.isEmpty()) {
      return Future.succeededFuture();
    }
    AttemptRecord record = completion.get();
    return session
        .execute(RECORD, new OfAttempt(row.ref(), record.attempt()))
        .compose(found -> found.size() > 0
            ? Future.succeededFuture()
            : session
                .execute(
                    APPEND,
                    List.of(new JobEntry(
                        row.ref(),
                        JobEntry.Kind.RECORD,
                        record.attempt(),
                        session.json().attempt(record))))
                .mapEmpty());
  }

  private static List<String> linesOf(String[] lines, Integer[] attempts, int attempt) {
    return IntStream.range(0, lines.length)
        .filter(index -> attempts[index] == attempt)
        .mapToObj(index -> lines[index])
        .toList();
  }

  /**
   * @param entry the entry
   * @param number its place among those of its kind, from 1
   */
  private record Numbered(JobEntry entry, long number) {}

  private record OfKind(JobRef job, JobEntry.Kind kind) {}

  private record OfAttempt(JobRef job, int attempt) {}
}
