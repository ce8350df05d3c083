package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.PgFailures;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Calls that store plain jobs; those that name the same id never share a statement. Jobs that were there are looked at
 * by a second statement: where that fails, only the calls that name one do, since what the others wanted is stored.
 */
public final class BatchedSaves implements BatchStatement<BatchedSaves.Call, List<SavedJob>> {
  private final JobSaves saves;

  public BatchedSaves(JobSession session) {
    this.saves = new JobSaves(session);
  }

  @Override
  public List<String> keys(Call call) {
    return call.isNamed()
        ? call.jobs().stream()
            .map(node ->
                node.queueName() + '\0' + Objects.requireNonNull(node.job().id()))
            .distinct()
            .toList()
        : List.of(); // nobody else has the ids
  }

  @Override
  public long bytes(Call call) {
    return call.jobs().stream().mapToLong(JobSaves::bytes).sum();
  }

  @Override
  public Future<List<CommandOutcome<List<SavedJob>>>> execute(List<Call> calls) {
    List<FlowNode> all = calls.stream().flatMap(call -> call.jobs().stream()).toList();
    boolean named = calls.stream().anyMatch(Call::isNamed);
    return saves.add(all, named).compose(added -> saves
        .states(added.missing())
        .map(found -> outcomes(calls, added.saved(found)))
        .recover(failure -> added.stored().isEmpty()
            ? Future.failedFuture(failure)
            : Future.succeededFuture(partly(calls, added, failure))));
  }

  private static List<CommandOutcome<List<SavedJob>>> outcomes(
      List<Call> calls, List<SavedJob> saved) {
    List<CommandOutcome<List<SavedJob>>> outcomes = new ArrayList<>();
    int from = 0;
    for (Call call : calls) {
      int to = from + call.jobs().size();
      outcomes.add(new CommandOutcome.Succeeded<>(List.copyOf(saved.subList(from, to))));
      from = to;
    }
    return outcomes;
  }

  private static List<CommandOutcome<List<SavedJob>>> partly(
      List<Call> calls, JobSaves.Added added, Throwable failure) {
    RunlaneException ours = PgFailures.of("saveJobs", failure);
    List<CommandOutcome<List<SavedJob>>> outcomes = outcomes(calls, added.saved(Map.of()));
    for (int i = 0; i < calls.size(); i++) {
      if (!calls.get(i).jobs().stream().allMatch(added::isStored)) {
        outcomes.set(i, new CommandOutcome.Failed<>(ours));
      }
    }
    return outcomes;
  }

  /**
   * What one caller stores.
   *
   * @param jobs all with ids
   * @param isNamed whether the caller gave all the ids, else none: a call that fails can be made again then
   */
  public record Call(List<FlowNode> jobs, boolean isNamed) {}
}
