package dev.runlane.connectorkit.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a manifest says about the scope of records; without a manifest, about no stream. */
public record ManifestRules(Map<String, StreamRules> streams) {

  /** The fields that time ranges and resources are compared with; null where there is none. */
  record StreamRules(
      @Nullable String consentTimeField, @Nullable String resourceField) {}

  public static ManifestRules read(ObjectMapper mapper, @Nullable Path manifest)
      throws IOException {
    if (manifest == null) {
      return new ManifestRules(Map.of());
    }
    Map<String, StreamRules> streams = new HashMap<>();
    for (JsonNode stream : mapper.readTree(manifest.toFile()).path("streams")) {
      StreamRules rules = new StreamRules(
          stream.path("consent_time_field").textValue(),
          stream.path("selection").path("resource_field").textValue());
      streams.put(stream.path("name").asText(), rules);
    }
    return new ManifestRules(Map.copyOf(streams));
  }

  Optional<StreamRules> of(String stream) {
    return Optional.ofNullable(streams.get(stream));
  }
}
