package dev.runlane.operator.task;

import dev.runlane.run.IdempotencyTtl;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a task's code says of each trigger, so that one by another process goes as one by its own.
 *
 * @param idempotencyTtl how long a run keeps its idempotency key unless the trigger says otherwise, in whole
 *     milliseconds; null where the process does not say it, as those of earlier releases do not
 * @param refusesOtherPayload whether an idempotency key that is given again with another payload is refused
 * @param tags the names of the tags that the task's code makes of a payload, without doubles, in their order
 */
public record TriggerRules(
    @Nullable IdempotencyTtl idempotencyTtl, boolean refusesOtherPayload, List<String> tags) {
  /** Of a process that says nothing of them. */
  public static final TriggerRules UNTOLD = new TriggerRules(null, false, List.of());

  /** Copies the names, in order and without doubles, and refuses null. */
  public TriggerRules {
    tags = tags.stream().distinct().sorted().toList();
  }
}
