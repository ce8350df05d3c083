package dev.runlane.runtime.process;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs as they are now, of which one that cannot be read, as a later release or somebody by hand has written it, keeps
 * back no other.
 *
 * @param runs those that can be read, by id, in the order asked for
 * @param unreadable the others that are there, by id, each with what is wrong with it
 */
public record ReadableRuns(Map<String, RunRecord> runs, Map<String, RunlaneException> unreadable) {
  /** None at all. */
  public static final ReadableRuns NONE = new ReadableRuns(Map.of(), Map.of());

  /**
   * Reads them, with one command unless one cannot be read: then each half is read by itself, down to the runs that
   * are meant. Fails as the storage does for any other reason.
   *
   * @param runIds also such as others have made up: where no run can have an id, there is none
   */
  public static Future<ReadableRuns> of(RuntimeContext context, List<String> runIds) {
    return ofValid(context, valid(runIds));
  }

  private static List<String> valid(List<String> runIds) {
    return runIds.stream()
        .filter(id -> Identifiers.fault(id, ContractDefaults.MAX_ID_BYTES).isEmpty())
        .toList();
  }

  /**
   * What lists show of them, by id, without those that cannot be read; read as by {@link #of}.
   *
   * @param runIds also such as others have made up
   */
  public static Future<Map<String, RunSummary>> summaries(
      RuntimeContext context, List<String> runIds) {
    return context
        .storage()
        .getRunSummaries(new GetRuns(context.environment(), valid(runIds)))
        .map(found -> {
          Map<String, RunSummary> byId = new LinkedHashMap<>();
          found.forEach(run -> byId.put(run.id(), run));
          return byId;
        })
        .recover(failure ->
            isUnreadable(failure) ? summariesApart(context, runIds) : Future.failedFuture(failure));
  }

  private static Future<Map<String, RunSummary>> summariesApart(
      RuntimeContext context, List<String> runIds) {
    int half = runIds.size() / 2;
    return half == 0
        ? Future.succeededFuture(Map.of())
        : summaries(context, runIds.subList(0, half))
            .compose(first -> summaries(context, runIds.subList(half, runIds.size()))
                .map(second -> joined(first, second)));
  }

  /**
   * Reads those that are not known, as {@link #of}.
   *
   * @param known runs as they were a moment ago, by id
   */
  public static Future<ReadableRuns> beside(
      Map<String, RunRecord> known, RuntimeContext context, Set<String> runIds) {
    ReadableRuns some = new ReadableRuns(known, Map.of());
    List<String> others = runIds.stream().filter(id -> !known.containsKey(id)).toList();
    return others.isEmpty() ? Future.succeededFuture(some) : of(context, others).map(some::and);
  }

  private static Future<ReadableRuns> ofValid(RuntimeContext context, List<String> runIds) {
    return context
        .storage()
        .getRuns(new GetRuns(context.environment(), runIds))
        .map(ReadableRuns::read)
        .recover(failure -> isUnreadable(failure)
            ? apart(context, runIds, (RunlaneException) failure)
            : Future.failedFuture(failure));
  }

  private static boolean isUnreadable(Throwable failure) {
    return failure instanceof RunlaneException own && own.code() == ErrorCode.INVARIANT_VIOLATION;
  }

  private static ReadableRuns read(List<RunRecord> runs) {
    Map<String, RunRecord> byId = new LinkedHashMap<>();
    runs.forEach(run -> byId.put(run.id(), run));
    return new ReadableRuns(byId, Map.of());
  }

  private static Future<ReadableRuns> apart(
      RuntimeContext context, List<String> runIds, RunlaneException failure) {
    int half = runIds.size() / 2;
    return half == 0
        ? Future.succeededFuture(new ReadableRuns(Map.of(), Map.of(runIds.get(0), failure)))
        : ofValid(context, runIds.subList(0, half))
            .compose(
                first -> ofValid(context, runIds.subList(half, runIds.size())).map(first::and));
  }

  private ReadableRuns and(ReadableRuns others) {
    return new ReadableRuns(joined(runs, others.runs), joined(unreadable, others.unreadable));
  }

  private static <T> Map<String, T> joined(Map<String, T> some, Map<String, T> others) {
    Map<String, T> both = new LinkedHashMap<>(some);
    both.putAll(others);
    return both;
  }

  /** The ids of all that are there. */
  public Set<String> ids() {
    Set<String> all = new LinkedHashSet<>(runs.keySet());
    all.addAll(unreadable.keySet());
    return all;
  }
}
