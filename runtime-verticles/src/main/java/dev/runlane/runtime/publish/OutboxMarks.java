package dev.runlane.runtime.publish;

import dev.runlane.run.Environment;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records verdicts with the messages. One lost claim makes a storage refuse a whole batch, so a refused
 * batch is halved until the lost claims stand alone; those messages are somebody else's by now.
 */
final class OutboxMarks {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxMarks.class);

  private final RuntimeContext context;

  OutboxMarks(RuntimeContext context) {
    this.context = context;
  }

  /** Counts what was recorded under a claim that still held. Tries all three kinds even if one fails. */
  Future<PublishCount> record(PublishVerdicts verdicts) {
    StorageAdapter storage = context.storage();
    Environment environment = context.environment();
    Instant now = context.eventTime();
    Future<Integer> published = mark(
        verdicts.published(),
        part -> storage.markOutboxMessagesPublished(
            new MarkOutboxMessagesPublished(environment, part, now)));
    Future<Integer> failed = mark(
        verdicts.failed(),
        part ->
            storage.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(environment, part, now)));
    Future<Integer> deadLettered = mark(
        verdicts.deadLettered(),
        part -> storage.markOutboxMessagesDeadLettered(
            new MarkOutboxMessagesDeadLettered(environment, part, now)));
    return Future.join(published, failed, deadLettered)
        .map(all ->
            new PublishCount(published.result(), failed.result(), deadLettered.result(), false));
  }

  private static <M> Future<Integer> mark(List<M> messages, Function<List<M>, Future<Void>> call) {
    if (messages.isEmpty()) {
      return Future.succeededFuture(0);
    }
    return call.apply(messages).map(done -> messages.size()).recover(failure -> {
      if (!(failure instanceof RunlaneException conflict)
          || !conflict.isConflict(StorageConflictKind.OUTBOX_CLAIM)) {
        return Future.failedFuture(failure);
      }
      if (messages.size() == 1) {
        LOG.debug("a claim was lost before its outcome was recorded: {}", conflict.getMessage());
        return Future.succeededFuture(0);
      }
      int half = messages.size() / 2;
      Future<Integer> left = mark(messages.subList(0, half), call);
      Future<Integer> right = mark(messages.subList(half, messages.size()), call);
      return Future.join(left, right).map(both -> left.result() + right.result());
    });
  }
}
