package dev.runlane.connector.process;

import dev.runlane.connector.process.line.LineDecoder;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * What is needed to start a child.
 *
 * @param runId the run it works for; with the controller's identity it is the mark by which all processes of
 *     the run are found
 * @param command what to start
 * @param decoder turns its lines into values
 * @param redaction replaces what must not be seen in text of its standard error; called on any thread, often
 * @param <T> what a line becomes
 */
public record ChildLaunch<T>(
    String runId, ChildCommand command, LineDecoder<T> decoder, UnaryOperator<String> redaction) {
  /** Refuses null. */
  public ChildLaunch {
    Objects.requireNonNull(runId, "runId");
    Objects.requireNonNull(command, "command");
    Objects.requireNonNull(decoder, "decoder");
    Objects.requireNonNull(redaction, "redaction");
  }
}
