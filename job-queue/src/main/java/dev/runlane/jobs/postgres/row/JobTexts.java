package dev.runlane.jobs.postgres.row;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.json.record.JobJson;
import dev.runlane.json.record.JobOptionsJson;
import dev.runlane.run.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a job's row holds as JSON text: options, dead letters, records of hand-outs. The jobs of a queue mostly share
 * their options, so a few that were written or read before are kept.
 */
public final class JobTexts {
  private static final int MOST_KEPT = 500;
  private static final int LONGEST_KEPT = 2_000;

  private final Map<String, JobOptions> read = new ConcurrentHashMap<>();
  private final Map<JobOptions, String> written = new ConcurrentHashMap<>();

  public String options(JobOptions options) {
    return kept(written, options, each -> JobOptionsJson.write(each).text());
  }

  public JobOptions options(String text) {
    return text.length() > LONGEST_KEPT
        ? JobOptionsJson.read(Json.ofChecked(text))
        : kept(read, text, each -> JobOptionsJson.read(Json.ofChecked(each)));
  }

  private static <K, V> V kept(Map<K, V> known, K key, Function<K, V> make) {
    V before = known.get(key);
    if (before != null) {
      return before;
    }
    V made = make.apply(key);
    if (known.size() >= MOST_KEPT) {
      known.clear();
    }
    known.put(key, made);
    return made;
  }

  public String repeat(JobRepeat repeat) {
    return JobOptionsJson.write(repeat).text();
  }

  public JobRepeat repeat(String text) {
    return JobOptionsJson.readRepeat(Json.ofChecked(text));
  }

  @Nullable
  String deadLetter(@Nullable DeadLetter letter) {
    return letter == null ? null : JobJson.write(letter).text();
  }

  @Nullable
  DeadLetter deadLetterOrNull(@Nullable String text) {
    return text == null ? null : JobJson.readDeadLetter(Json.ofChecked(text));
  }

  /** A record, whose lines have rows of their own unless they are given with it. */
  public String attempt(AttemptRecord attempt) {
    return JobJson.write(List.of(attempt)).text();
  }

  /** A record with its own lines, or those of the hand-out. */
  public AttemptRecord attempt(String text, Function<Integer, List<String>> lines) {
    AttemptRecord record = JobJson.readAttempts(Json.ofChecked(text)).get(0);
    return record.logs().isEmpty() ? record.withLogs(lines.apply(record.attempt())) : record;
  }
}
