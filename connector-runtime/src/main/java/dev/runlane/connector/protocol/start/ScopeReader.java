package dev.runlane.connector.protocol.start;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.manifest.ManifestStream;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.json.ExactTrees;
import dev.runlane.json.StorableText;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the scope that somebody asks for, and says what is wrong with it. */
final class ScopeReader {
  private static final JsonMapper MAPPER =
      ExactTrees.mapper(JsonTrees.factory(ReaderLimits.DEFAULT));

  private final String name;
  private final JsonNode stream;

  private ScopeReader(String name, JsonNode stream) {
    this.name = name;
    this.stream = stream;
  }

  static List<StreamScope> read(ConnectorManifest manifest, Json request) {
    JsonNode list = tree(request).path("streams");
    if (!list.isArray() || list.isEmpty()) {
      throw invalid("scope must name at least one stream");
    }
    List<StreamScope> streams = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode each : list) {
      StreamScope stream = stream(manifest, each);
      if (!names.add(stream.name())) {
        throw invalid("scope names stream %s twice", stream.name());
      }
      streams.add(stream);
    }
    return streams;
  }

  private static JsonNode tree(Json request) {
    try {
      return MAPPER.readTree(request.text());
    } catch (JsonProcessingException malformed) {
      throw invalid("scope is not one JSON object with each name once");
    }
  }

  private static StreamScope stream(ConnectorManifest manifest, JsonNode stream) {
    JsonNode name = stream.path("name");
    if (!name.isTextual() || name.textValue().isBlank()) {
      throw invalid("every stream of the scope must have a name");
    }
    if (name.textValue().equals("*")) {
      throw invalid("scope must name its streams: * stands for none");
    }
    ManifestStream declared = manifest.stream(name.textValue())
        .orElseThrow(
            () -> invalid("stream %s is not in the manifest", Texts.cut(name.textValue(), 100)));
    return new ScopeReader(declared.name(), stream).scope().withNeededFields(declared);
  }

  private StreamScope scope() {
    if (stream.has("view")) {
      throw invalid("stream %s: a view must be resolved to its fields first", name);
    }
    if (stream.has("necessity")) {
      throw invalid("stream %s: necessity belongs to a request, not to a run", name);
    }
    List<String> fields = texts("fields");
    if (present("fields") && fields.isEmpty()) {
      throw invalid("stream %s: fields must not be empty", name);
    }
    return new StreamScope(name, texts("resources"), timeRange(), fields);
  }

  private @Nullable TimeRange timeRange() {
    JsonNode range = stream.path("time_range");
    if (!present("time_range")) {
      return null;
    }
    if (!range.isObject()) {
      throw invalid("stream %s: time_range must be an object", name);
    }
    String since = bound(range, "since");
    String until = bound(range, "until");
    return since == null && until == null ? null : new TimeRange(since, until);
  }

  private @Nullable String bound(JsonNode range, String member) {
    JsonNode bound = range.path(member);
    if (bound.isMissingNode() || bound.isNull()) {
      return null;
    }
    if (!bound.isTextual() || bound.textValue().isBlank()) {
      throw invalid("stream %s: time_range.%s must be text that is not blank", name, member);
    }
    return bound.textValue();
  }

  private List<String> texts(String member) {
    List<String> texts = new ArrayList<>();
    if (!present(member)) {
      return texts;
    }
    JsonNode list = stream.path(member);
    boolean sound = list.isArray();
    for (JsonNode each : list) {
      sound &= each.isTextual() && !each.textValue().isBlank();
      texts.add(each.asText());
    }
    if (!sound) {
      throw invalid("stream %s: %s must be a list of texts that are not blank", name, member);
    }
    texts.forEach(text -> StorableText.require(member, text));
    return texts;
  }

  private boolean present(String member) {
    return stream.hasNonNull(member);
  }

  private static RunlaneException invalid(String format, Object... args) {
    return RunlaneException.validationFailed(format, args);
  }
}
