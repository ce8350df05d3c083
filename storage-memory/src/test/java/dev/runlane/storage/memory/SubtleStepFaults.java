package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.steps.ForwardingStepTransport;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListMissingSteps;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Future;
import java.text.Normalizer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Step transports that misunderstand one field of one command by a little: for the model, which names no case that
 * fails.
 */
final class SubtleStepFaults {
  private static final Duration MILLI = Duration.ofMillis(1);

  static final List<BrokenAdapter<StepTransport>> ALL = List.of(
      altering(
          "cuts the blanks off groups",
          DispatchSteps.class,
          command -> new DispatchSteps(
              command.steps().stream()
                  .map(each -> each.in(each.group().strip()))
                  .toList(),
              command.now())),
      altering(
          "dispatches by the second",
          DispatchSteps.class,
          command ->
              new DispatchSteps(command.steps(), command.now().truncatedTo(ChronoUnit.SECONDS))),
      altering(
          "withdraws steps by the composed form of their id",
          WithdrawSteps.class,
          command -> new WithdrawSteps(composed(command.stepIds()))),
      altering(
          "looks for missing steps by the composed form of their id",
          ListMissingSteps.class,
          query -> new ListMissingSteps(composed(query.stepIds()))),
      altering(
          "leases tasks of the first group of several",
          ClaimStepTasks.class,
          command -> new ClaimStepTasks(
              firstOf(command.groups()),
              command.workerId(),
              command.now(),
              command.leaseFor(),
              command.limit())),
      altering(
          "takes tasks over a moment late",
          ClaimStepTasks.class,
          command -> new ClaimStepTasks(
              command.groups(),
              command.workerId(),
              command.now(),
              command.leaseFor().plus(MILLI),
              command.limit())),
      altering(
          "leases tasks from the next millisecond on",
          ClaimStepTasks.class,
          command -> new ClaimStepTasks(
              command.groups(),
              command.workerId(),
              nextMilli(command.now()),
              command.leaseFor(),
              command.limit())),
      altering(
          "renews leases from the next millisecond on",
          RenewStepTasks.class,
          command -> new RenewStepTasks(command.claims(), nextMilli(command.now()))),
      altering(
          "renews leases a moment less",
          RenewStepTasks.class,
          command -> new RenewStepTasks(command.claims(), command.now().minus(MILLI))),
      altering(
          "hands the first task of several back",
          ReleaseStepTasks.class,
          command -> new ReleaseStepTasks(firstOf(command.claims()))),
      altering(
          "says by the second when a handler was called",
          RecordStepResults.class,
          command -> new RecordStepResults(
              command.results().stream()
                  .map(each -> new RecordStepResults.Ended(
                      each.claim(),
                      each.outcome(),
                      each.startedAt().truncatedTo(ChronoUnit.SECONDS)))
                  .toList(),
              command.now())),
      altering(
          "lists results a moment late",
          ListStepResults.class,
          query -> new ListStepResults(
              query.now(), query.leaseFor().plus(MILLI), query.after(), query.limit())),
      altering(
          "begins a page with the results of the instant at which the last one ended",
          ListStepResults.class,
          query -> new ListStepResults(
              query.now(),
              query.leaseFor(),
              query.after() == null
                  ? null
                  : new StepResultRef("", query.after().runId(), query.after().createdAt()),
              query.limit())),
      altering(
          "takes results over a moment late",
          ClaimStepResults.class,
          command -> new ClaimStepResults(
              command.stepIds(),
              command.engineId(),
              command.now(),
              command.leaseFor().plus(MILLI))),
      altering(
          "dispatches next attempts to groups in one case only",
          SettleStepResults.class,
          command -> new SettleStepResults(
              command.settlements().stream().map(SubtleStepFaults::inLowerCase).toList(),
              command.now())),
      altering(
          "releases results without a pause",
          ReleaseStepResults.class,
          command -> new ReleaseStepResults(
              command.claims(), command.now(), command.leaseFor(), Duration.ZERO)),
      altering(
          "discards results as old as the cutoff",
          DiscardStepResults.class,
          command -> new DiscardStepResults(
              command.stepIds(),
              command.createdBefore().plus(MILLI),
              command.now(),
              command.leaseFor())));

  private SubtleStepFaults() {}

  /** What is finer is rounded up. */
  private static Instant nextMilli(Instant instant) {
    return instant.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
  }

  private static <C> BrokenAdapter<StepTransport> altering(
      String sentence, Class<C> type, UnaryOperator<C> change) {
    return that(sentence, real -> new Altered<>(real, type, change));
  }

  private static List<String> composed(List<String> ids) {
    return ids.stream()
        .map(id -> Normalizer.normalize(id, Normalizer.Form.NFC))
        .distinct()
        .toList();
  }

  private static <T> List<T> firstOf(List<T> all) {
    return all.subList(0, Math.min(1, all.size()));
  }

  private static SettleStepResults.Settlement inLowerCase(SettleStepResults.Settlement each) {
    StepTask next = each.next();
    return next == null
        ? each
        : new SettleStepResults.Settlement(
            each.claim(), next.in(next.group().toLowerCase(Locale.ROOT)));
  }

  private static final class Altered<C> extends ForwardingStepTransport {
    private final Class<C> type;
    private final UnaryOperator<C> change;

    Altered(StepTransport real, Class<C> type, UnaryOperator<C> change) {
      super(real);
      this.type = type;
      this.change = change;
    }

    @SuppressWarnings("unchecked") // a command becomes one of its own type
    private <T> T of(T command) {
      return type.isInstance(command) ? (T) change.apply(type.cast(command)) : command;
    }

    @Override
    public Future<List<DispatchOutcome>> dispatchSteps(DispatchSteps command) {
      return super.dispatchSteps(of(command));
    }

    @Override
    public Future<List<DispatchOutcome>> dispatchMissingSteps(DispatchSteps command) {
      return super.dispatchMissingSteps(of(command));
    }

    @Override
    public Future<Integer> withdrawSteps(WithdrawSteps command) {
      return super.withdrawSteps(of(command));
    }

    @Override
    public Future<List<String>> listMissingSteps(ListMissingSteps query) {
      return super.listMissingSteps(of(query));
    }

    @Override
    public Future<List<ClaimedStepTask>> claimStepTasks(ClaimStepTasks command) {
      return super.claimStepTasks(of(command));
    }

    @Override
    public Future<Set<String>> renewStepTasks(RenewStepTasks command) {
      return super.renewStepTasks(of(command));
    }

    @Override
    public Future<Void> releaseStepTasks(ReleaseStepTasks command) {
      return super.releaseStepTasks(of(command));
    }

    @Override
    public Future<List<RecordOutcome>> recordStepResults(RecordStepResults command) {
      return super.recordStepResults(of(command));
    }

    @Override
    public Future<List<StepResultRef>> listStepResults(ListStepResults query) {
      return super.listStepResults(of(query));
    }

    @Override
    public Future<List<ClaimedStepResult>> claimStepResults(ClaimStepResults command) {
      return super.claimStepResults(of(command));
    }

    @Override
    public Future<List<SettleOutcome>> settleStepResults(SettleStepResults command) {
      return super.settleStepResults(of(command));
    }

    @Override
    public Future<Void> releaseStepResults(ReleaseStepResults command) {
      return super.releaseStepResults(of(command));
    }

    @Override
    public Future<Integer> discardStepResults(DiscardStepResults command) {
      return super.discardStepResults(of(command));
    }
  }
}
