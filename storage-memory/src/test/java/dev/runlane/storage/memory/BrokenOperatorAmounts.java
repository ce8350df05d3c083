package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;
import static dev.runlane.storage.memory.BrokenOperatorStores.store;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.queue.TakeResumedRuns;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.CountRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunCounts;
import dev.runlane.storage.read.RunnableRunRef;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Storages that do in parts what operators ask for, and do so wrongly: with few rows none of it is seen. */
final class BrokenOperatorAmounts {
  private static final int PART = 500;
  private static final String MESSAGES =
      "Amounts.hundreds_of_messages_are_counted_listed_and_redriven_up_to_the_limit";
  private static final String RESUMED =
      "Amounts.hundreds_of_runs_of_a_resumed_queue_are_counted_and_each_is_taken_once";

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "redrives until a part is not full, whatever the limit",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<String>> redriveOutbox(RedriveOutbox command) {
              RedriveOutbox part = new RedriveOutbox(
                  command.environment(),
                  command.messageIds(),
                  Math.min(PART, command.limit()),
                  command.now());
              return super.redriveOutbox(part)
                  .compose(first -> first.size() < PART
                      ? Future.succeededFuture(first)
                      : super.redriveOutbox(part)
                          .map(second ->
                              Stream.of(first, second).flatMap(List::stream).toList()));
            }
          }),
          MESSAGES),
      that(
          "lists the messages of the first part",
          store(real -> new ForwardingOperatorStore(real) {
            private int listed;

            @Override
            public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
              listed = query.cursor() == null ? 0 : listed;
              return super.listOutbox(query).map(page -> {
                listed += page.data().size();
                return listed < PART ? page : new Page<>(page.data(), null);
              });
            }
          }),
          MESSAGES),
      that(
          "goes on with resumed runs behind the instant of those before",
          store(real -> new ForwardingOperatorStore(real) {
            private final BrokenAmounts.BehindInstant<RunnableRunRef> parts =
                new BrokenAmounts.BehindInstant<>(RunnableRunRef::availableAt);

            @Override
            public Future<Optional<ResumedRuns>> takeResumedRuns(TakeResumedRuns command) {
              return super.takeResumedRuns(command)
                  .map(taken -> taken.map(some -> new ResumedRuns(
                      some.queue(),
                      parts.page("next", new Page<>(some.runs(), null)).data(),
                      some.isLast())));
            }
          }),
          RESUMED),
      that(
          "counts the first part of the runs",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<RunCounts> countRuns(CountRuns query) {
              return super.countRuns(query)
                  .map(found -> new RunCounts(
                      found.counts().entrySet().stream()
                          .collect(Collectors.toUnmodifiableMap(
                              Map.Entry::getKey, each -> Math.min(PART, each.getValue()))),
                      found.isCut()));
            }
          }),
          RESUMED),
      that(
          "lists the first part of the partitions that hold slots",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<OccupiedPartition>> listOccupied(ListOccupied query) {
              return super.listOccupied(query)
                  .map(found -> found.stream().limit(PART).toList());
            }
          }),
          "Amounts.hundreds_of_partitions_that_hold_a_slot_are_listed_up_to_the_limit"),
      that(
          "keeps the first part of a call's lines",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<Void> appendLogLines(AppendLogLines command) {
              return super.appendLogLines(new AppendLogLines(
                  command.environment(), command.lines().stream().limit(PART).toList()));
            }
          }),
          "Amounts.hundreds_of_lines_of_a_run_are_kept_and_each_is_on_one_page"));

  private BrokenOperatorAmounts() {}
}
