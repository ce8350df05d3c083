package dev.runlane.conformance.model;

import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.run.Environment;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import java.util.List;

/**
 * Asks for all outbox messages that nobody has claimed yet, whose ids nobody knows.
 *
 * @param environment scope
 */
public record LookAtPending(Environment environment) {
  private static final int ALL = 1_000;

  /** What a storage is asked. */
  public ListOutbox list() {
    return new ListOutbox(environment, OutboxMessageStatus.PENDING, ALL, null);
  }

  /**
   * What was listed.
   *
   * @param entries with another id in place of each, in the order of what they say
   * @param inOrder whether they came by their ids
   */
  public record Answer(List<OutboxEntry> entries, boolean inOrder) {}
}
