package dev.runlane.conformance.race.jobs;

import dev.runlane.conformance.drawn.Modelled;
import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.drawn.jobs.JobContract;
import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.conformance.model.jobs.JobWrites;
import dev.runlane.conformance.race.order.Played;
import dev.runlane.conformance.race.order.Raced;
import dev.runlane.conformance.race.order.Scene;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.JobStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Job stores, whose commands are raced. */
public final class RacedJobs implements Raced<JobStore, JobModel> {
  private final JobContract contract = new JobContract();

  @Override
  public Modelled<JobStore, JobModel> contract() {
    return contract;
  }

  /** What a race leaves is cleared after it. */
  @Override
  public void begin(List<JobStore> adapters) {}

  @Override
  public Scene scene(long seed, JobModel model) {
    return new JobScene(seed, model);
  }

  /** "Each command is one transaction"; "others may get between the ends and the hand-out". */
  @Override
  public List<Played> parts(Played whole) {
    Object command = whole.step().command();
    int number = whole.step().number();
    if (command instanceof JobWrites.FinishJobs finish && whole.answer() instanceof List<?> all) {
      return ends(number, finish.commands(), all);
    }
    if (command instanceof JobWrites.HandOver handOver
        && whole.answer() instanceof FinishedAndFetched answer) {
      List<Played> parts =
          new ArrayList<>(ends(number, handOver.command().finished(), answer.results()));
      Step fetch = new Step(
          number + 1 + parts.size(), new JobWrites.Fetch(handOver.command().fetch()));
      parts.add(new Played(fetch, answer.fetched()));
      return parts;
    }
    return List.of(whole);
  }

  private static List<Played> ends(int number, List<FinishJob> commands, List<?> answers) {
    List<Played> parts = new ArrayList<>();
    for (int i = 0; i < Math.min(commands.size(), answers.size()); i++) {
      Step end = new Step(number + 1 + i, new JobWrites.FinishJobs(List.of(commands.get(i))));
      parts.add(new Played(end, List.of(answers.get(i))));
    }
    return parts;
  }

  @Override
  public boolean mustPrecede(Object part, Object other) {
    return other instanceof JobWrites.Fetch;
  }

  @Override
  public void letPassOver(JobModel model, List<Object> others, BooleanSupplier maybe) {
    model.letPassOver(
        job -> others.stream().anyMatch(other -> JobHolds.mayHold(other, job)), maybe);
  }
}
