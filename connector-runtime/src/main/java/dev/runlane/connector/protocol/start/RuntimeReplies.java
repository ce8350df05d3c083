package dev.runlane.connector.protocol.start;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/** The lines that a runtime sends after START, without their ends. */
public final class RuntimeReplies {
  private RuntimeReplies() {}

  /**
   * INTERACTION_RESPONSE: the end of a question.
   *
   * @param data what the owner submitted, sent only with success; null for none
   */
  public static String interactionResponse(
      String requestId, InteractionStatus status, @Nullable Json data) {
    ObjectNode reply = reply("INTERACTION_RESPONSE", requestId);
    reply.put("status", status.value());
    if (status == InteractionStatus.SUCCESS && data != null) {
      reply.putRawValue("data", oneLine(data));
    }
    return reply.toString();
  }

  /** DETAIL_GAPS_PAGE_RESPONSE: no earlier gaps, since this runtime keeps none for a later run. */
  public static String emptyGapsPage(String requestId) {
    ObjectNode reply = reply("DETAIL_GAPS_PAGE_RESPONSE", requestId);
    reply.put("reference_only", true);
    reply.putArray("detail_gaps");
    reply.put("count", 0);
    reply.put("max_bytes", 0);
    reply.put("serialized_bytes", 2);
    return reply.toString();
  }

  /** The value on one line: outside its texts, where line ends are escaped, they are white space. */
  static RawValue oneLine(Json value) {
    return new RawValue(value.text().replace('\n', ' ').replace('\r', ' '));
  }

  private static ObjectNode reply(String type, String requestId) {
    ObjectNode reply = JsonNodeFactory.instance.objectNode();
    reply.put("type", type);
    reply.put("request_id", requestId);
    return reply;
  }
}
