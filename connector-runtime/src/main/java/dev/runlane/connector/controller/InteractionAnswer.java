package dev.runlane.connector.controller;

import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/**
 * What an owner answers. It lives in memory only, on its way to the child that asked.
 *
 * @param interactionId the question
 * @param status success or cancelled
 * @param data what the owner submitted, a JSON object, or null
 */
public record InteractionAnswer(
    String interactionId,
    InteractionStatus status,
    @Nullable Json data) {
  /** The data is left out. */
  @Override
  public String toString() {
    return "InteractionAnswer[" + interactionId + " " + status.value() + "]";
  }
}
