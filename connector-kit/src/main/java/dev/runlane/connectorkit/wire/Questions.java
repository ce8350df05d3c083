package dev.runlane.connectorkit.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.connectorkit.message.Answer;
import dev.runlane.connectorkit.message.ConnectorCancelled;
import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.Interaction;
import dev.runlane.connectorkit.message.RecoveryAction;
import dev.runlane.connectorkit.message.Start;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Asks the owner, one question at a time. */
public final class Questions {

  /** How much longer than asked the connector waits: the runtime keeps the time, this is a net. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Start start;
  private final Messages messages;
  private final ProtocolInput input;
  private final ProtocolOutput output;
  private final Submitted submitted;
  private final ObjectMapper mapper;
  private final AtomicLong asked = new AtomicLong();

  public Questions(
      Start start,
      Messages messages,
      ProtocolInput input,
      ProtocolOutput output,
      Submitted submitted,
      ObjectMapper mapper) {
    this.start = start;
    this.messages = messages;
    this.input = input;
    this.output = output;
    this.submitted = submitted;
    this.mapper = mapper;
  }

  public Answer ask(Interaction interaction) {
    if (!start.interactive()) {
      throw ConnectorFailure.permanent(
          "interaction_unavailable",
          "nobody can be asked in this run",
          RecoveryAction.MANUAL_ACTION_REQUIRED);
    }
    String requestId = "q" + asked.incrementAndGet();
    byte[] question = messages.interaction(requestId, interaction);
    try {
      return output.exchange(question, () -> answer(requestId, interaction.timeout()));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new ConnectorCancelled("interrupted while a question was open");
    } catch (IOException broken) {
      throw gone().causedBy(broken);
    }
  }

  private Answer answer(String requestId, @Nullable Duration timeout)
      throws IOException, InterruptedException {
    byte[] line = input.next(timeout == null ? null : timeout.plus(PATIENCE));
    if (line != null) {
      return read(line, requestId);
    }
    if (input.isClosed()) {
      throw gone();
    }
    throw new ConnectorFailure("answer_missing", "the runtime sent no answer in time");
  }

  private Answer read(byte[] line, String requestId) throws IOException {
    JsonNode response = tree(line);
    if (!"INTERACTION_RESPONSE".equals(response.path("type").textValue())
        || !requestId.equals(response.path("request_id").textValue())) {
      throw new ConnectorFailure("answer_invalid", "the runtime sent no answer to " + requestId);
    }
    String status = response.path("status").asText();
    return switch (status) {
      case "success" -> {
        submitted.remember(response.path("data"));
        yield new Answer.Success(response.path("data"));
      }
      case "cancelled" -> new Answer.Cancelled();
      case "timeout" -> new Answer.TimedOut();
      default -> throw new ConnectorFailure("answer_invalid", "the answer's status is unknown");
    };
  }

  private JsonNode tree(byte[] line) throws IOException {
    try {
      return mapper.readTree(line);
    } catch (JsonProcessingException
        | NumberFormatException notJson) { // what Jackson says may quote a secret
      throw new ConnectorFailure("answer_invalid", "the runtime sent a line that is no JSON");
    }
  }

  private static ConnectorFailure gone() {
    return ConnectorFailure.retryable("runtime_gone", "the runtime closed the connector's input");
  }
}
