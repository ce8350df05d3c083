package dev.runlane.jobs.postgres.life;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.postgres.BatchStatement;
import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Calls that store plain jobs; those that name the same id never share a statement. */
public final class BatchedSaves implements BatchStatement<List<FlowNode>, List<SavedJob>> {
  private final JobSaves saves;

  public BatchedSaves(JobSession session) {
    this.saves = new JobSaves(session);
  }

  @Override
  public List<String> keys(List<FlowNode> call) {
    return call.stream()
        .flatMap(node -> Stream.ofNullable(node.job().id()).map(id -> node.queueName() + '\0' + id))
        .distinct()
        .toList();
  }

  @Override
  public long bytes(List<FlowNode> call) {
    return call.stream().mapToLong(node -> node.job().data().text().length()).sum();
  }

  @Override
  public Future<List<CommandOutcome<List<SavedJob>>>> execute(List<List<FlowNode>> calls) {
    List<FlowNode> all = calls.stream().flatMap(List::stream).toList();
    return saves.addPlain(all).map(saved -> {
      List<CommandOutcome<List<SavedJob>>> outcomes = new ArrayList<>();
      int from = 0;
      for (List<FlowNode> call : calls) {
        outcomes.add(
            new CommandOutcome.Succeeded<>(List.copyOf(saved.subList(from, from + call.size()))));
        from += call.size();
      }
      return outcomes;
    });
  }
}
