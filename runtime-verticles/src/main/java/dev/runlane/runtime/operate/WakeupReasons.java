package dev.runlane.runtime.operate;

import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.operate.RunExplanation.Code;
import dev.runlane.runtime.operate.RunExplanation.Reason;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.read.GetRun;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the outbox says about a run that nobody has: whether its wakeup is on the way, late or given up. */
record WakeupReasons(RuntimeContext context) {
  /** The latest message's reason, or none: nothing is kept, or the storage does not show it. */
  Future<List<Reason>> of(RunRecord run) {
    if (!run.status().isActive() || run.status().isLeased()) {
      return Future.succeededFuture(List.of());
    }
    return context
        .storage()
        .outbox()
        .map(outbox -> outbox
            .outboxMessagesOf(new GetRun(run.environment(), run.id()))
            .map(
                messages -> latest(messages).map(WakeupReasons::reason).stream().toList()))
        .orElseGet(() -> Future.succeededFuture(List.of()));
  }

  private static Optional<OutboxMessageState> latest(List<OutboxMessageState> messages) {
    return messages.isEmpty() ? Optional.empty() : Optional.of(messages.get(messages.size() - 1));
  }

  private static Reason reason(OutboxMessageState message) {
    Map<String, String> details = new LinkedHashMap<>();
    details.put("outboxMessageId", message.id());
    details.put("failedPublishes", String.valueOf(message.failedPublishes()));
    FailureRecord failure = message.failure();
    if (failure != null) {
      details.put("failureCode", failure.code().value());
      details.put("failure", failure.message());
    }
    String why = failure == null ? "" : " (" + failure.message() + ")";
    return switch (message.status()) {
      case PENDING ->
        new Reason(
            Code.WAKEUP_PENDING,
            "Its wakeup is to be published from %s on."
                .formatted(dueAt(details, message.availableAt())),
            details);
      case CLAIMED ->
        new Reason(
            Code.WAKEUP_PENDING,
            "A publisher holds its wakeup until %s."
                .formatted(dueAt(details, String.valueOf(message.claimExpiresAt()))),
            details);
      case FAILED ->
        new Reason(
            Code.WAKEUP_FAILED,
            "Publishing its wakeup failed %s times%s; next try at %s. A polling worker may take it before."
                .formatted(message.failedPublishes(), why, dueAt(details, message.availableAt())),
            details);
      case PUBLISHED -> new Reason(Code.WAKEUP_PUBLISHED, "Its wakeup was published.", details);
      case DEAD_LETTERED ->
        new Reason(
            Code.WAKEUP_DEAD_LETTERED,
            "Its wakeup was given up after %s tries%s; only a polling worker will find it."
                .formatted(message.failedPublishes(), why),
            details);
    };
  }

  private static String dueAt(Map<String, String> details, Instant at) {
    return dueAt(details, at.toString());
  }

  private static String dueAt(Map<String, String> details, String at) {
    details.put("wakeupAt", at);
    return at;
  }
}
