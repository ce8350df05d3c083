package dev.runlane.connector.controller.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Secrets from a file that only its owner can read. */
record FileSecrets(Path file) implements SecretSource {
  private static final long MOST_BYTES = 1 << 20;
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Set<PosixFilePermission> ALLOWED =
      Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  @Override
  public Map<String, String> secrets(ConnectorRef connector, List<String> names) {
    if (names.isEmpty()) {
      return Map.of();
    }
    JsonNode own = read().path(connector.instanceId());
    Map<String, String> secrets = new LinkedHashMap<>();
    for (String name : names) {
      JsonNode value = own.path(name);
      if (!value.isTextual()) {
        throw RunlaneException.configurationInvalid(
            "the file of secrets has no text %s for %s", name, connector.instanceId());
      }
      secrets.put(name, value.textValue());
    }
    return secrets;
  }

  /** A parser's message would quote the file, so none is handed on. */
  private JsonNode read() {
    try {
      if (!ALLOWED.containsAll(Files.getPosixFilePermissions(file))) {
        throw RunlaneException.configurationInvalid(
            "the file of secrets %s must have mode 0600", file);
      }
      if (Files.size(file) > MOST_BYTES) {
        throw RunlaneException.configurationInvalid(
            "the file of secrets %s must have at most %d bytes", file, MOST_BYTES);
      }
      return JSON.readTree(Files.readAllBytes(file));
    } catch (IOException e) {
      throw RunlaneException.configurationInvalid(
          "the file of secrets %s cannot be read as JSON", file);
    }
  }
}
