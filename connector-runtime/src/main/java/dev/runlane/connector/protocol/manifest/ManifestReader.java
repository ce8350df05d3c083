package dev.runlane.connector.protocol.manifest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.runlane.connector.protocol.message.InteractionKind;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.json.ExactTrees;
import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads manifests, and says which member is wrong. */
public final class ManifestReader {
  private static final String PROTOCOL_VERSION = "0.1.0";
  private static final JsonMapper MAPPER =
      ExactTrees.mapper(JsonTrees.factory(ReaderLimits.DEFAULT));

  private final Set<String> required = new HashSet<>();
  private final Set<String> optional = new HashSet<>();

  private ManifestReader() {}

  static ConnectorManifest read(String text) {
    if (text.length() > ConnectorManifest.MAX_BYTES) {
      throw invalid("it has more than %d characters", ConnectorManifest.MAX_BYTES);
    }
    try {
      JsonNode root = MAPPER.readTree(text);
      return new ManifestReader().manifest(root == null ? MissingNode.getInstance() : root);
    } catch (JsonProcessingException malformed) {
      throw invalid("it is not one JSON object with each name once");
    }
  }

  private ConnectorManifest manifest(JsonNode root) {
    if (!root.isObject()) {
      throw invalid("it is not a JSON object");
    }
    String protocol = optionalText(root, "protocol_version");
    if (protocol != null && !protocol.equals(PROTOCOL_VERSION)) {
      throw invalid("protocol_version must be %s", PROTOCOL_VERSION);
    }
    readBindings(object(root.path("runtime_requirements"), "runtime_requirements"));
    JsonNode capabilities = object(root.path("capabilities"), "capabilities");
    String id = name(root, "connector_id");
    String name = optionalText(root, "display_name");
    return new ConnectorManifest(
        id,
        optionalText(root, "connector_key"),
        text(root, "version"),
        name == null ? id : name,
        required,
        optional,
        interactionKinds(capabilities.path("human_interaction")),
        RefreshPolicyReader.read(capabilities.path("refresh_policy")),
        streams(root.path("streams")),
        JsonTrees.json(root));
  }

  private void readBindings(JsonNode requirements) {
    JsonNode bindings = object(requirements.path("bindings"), "runtime_requirements.bindings");
    bindings.properties().forEach(binding -> {
      String what = "runtime_requirements.bindings." + binding.getKey();
      boolean needed = flag(object(binding.getValue(), what), "required");
      (needed ? required : optional).add(binding.getKey());
    });
  }

  private static List<InteractionKind> interactionKinds(JsonNode list) {
    return texts(list, "capabilities.human_interaction").stream()
        .map(kind -> InteractionKind.ofValue(kind)
            .orElseThrow(() -> invalid("capabilities.human_interaction has an unknown kind")))
        .toList();
  }

  private static List<ManifestStream> streams(JsonNode list) {
    if (!list.isArray() || list.isEmpty()) {
      throw invalid("streams must be a list with at least one stream");
    }
    List<ManifestStream> streams = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode each : list) {
      ManifestStream stream = stream(object(each, "streams"));
      if (!names.add(stream.name())) {
        throw invalid("stream %s is declared twice", Texts.cut(stream.name(), 100));
      }
      streams.add(stream);
    }
    return streams;
  }

  private static ManifestStream stream(JsonNode stream) {
    String name = name(stream, "name");
    if (name.equals("*")) {
      throw invalid("a stream must not be called *");
    }
    JsonNode selection = object(stream.path("selection"), "selection");
    JsonNode schema = object(stream.path("schema"), "schema");
    JsonNode availability = object(stream.path("availability"), "availability");
    return new ManifestStream(
        name,
        semantics(optionalText(stream, "semantics")),
        texts(schema.path("required"), "schema.required"),
        primaryKey(stream.path("primary_key")),
        optionalText(stream, "cursor_field"),
        optionalText(stream, "consent_time_field"),
        optionalText(selection, "resource_field"),
        "unsupported_in_mode".equals(optionalText(availability, "state")));
  }

  /** One field may stand alone. */
  private static List<String> primaryKey(JsonNode key) {
    return key.isTextual() ? List.of(key.textValue()) : texts(key, "primary_key");
  }

  private static ManifestStream.Semantics semantics(@Nullable String value) {
    if (value == null || value.equals("mutable_state")) {
      return ManifestStream.Semantics.MUTABLE_STATE;
    }
    if (value.equals("append_only") || value.equals("append")) { // both are in the field
      return ManifestStream.Semantics.APPEND_ONLY;
    }
    throw invalid("semantics must be append_only or mutable_state");
  }

  /** The object; an empty one where it is absent. */
  private static JsonNode object(JsonNode node, String what) {
    if (node.isMissingNode() || node.isNull()) {
      return MAPPER.createObjectNode();
    }
    if (!node.isObject()) {
      throw invalid("%s must be an object", what);
    }
    return node;
  }

  /** Text that the records and events of its connector can be kept under. */
  private static String name(JsonNode object, String member) {
    String name = text(object, member);
    if (Json.ofChecked(name).sizeInBytes() > ContractDefaults.MAX_KEY_BYTES) {
      throw invalid("%s must have at most %d bytes", member, ContractDefaults.MAX_KEY_BYTES);
    }
    return name;
  }

  static String text(JsonNode object, String name) {
    String value = optionalText(object, name);
    if (value == null) {
      throw invalid("%s is missing", name);
    }
    return value;
  }

  static @Nullable String optionalText(JsonNode object, String name) {
    JsonNode value = object.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isTextual() || value.textValue().isBlank()) {
      throw invalid("%s must be text that is not blank", name);
    }
    return storable(value.textValue(), name);
  }

  private static boolean flag(JsonNode object, String name) {
    JsonNode value = object.path(name);
    if (!(value.isMissingNode() || value instanceof NullNode || value.isBoolean())) {
      throw invalid("%s must be true or false", name);
    }
    return value.asBoolean();
  }

  private static List<String> texts(JsonNode list, String what) {
    if (list.isMissingNode() || list.isNull()) {
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode each : list) {
      if (!each.isTextual() || each.textValue().isBlank()) {
        throw invalid("%s must be a list of texts that are not blank", what);
      }
      texts.add(storable(each.textValue(), what));
    }
    if (!list.isArray()) {
      throw invalid("%s must be a list of texts that are not blank", what);
    }
    return texts;
  }

  private static String storable(String text, String what) {
    if (!StorableText.isStorable(text)) {
      throw invalid("%s must not contain NUL or half a surrogate pair", what);
    }
    return text;
  }

  /** Says what is wrong with the manifest: {@code ConnectorInvalid}. */
  public static RunlaneException invalid(String format, Object... args) {
    return RunlaneException.of(
        ErrorCode.CONNECTOR_INVALID, "the manifest is invalid: " + format, args);
  }
}
