package dev.runlane.connector.controller;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes registries for tests. */
public final class Folders {
  private static final String MANIFEST = """
      {"protocol_version": "0.1.0", "connector_id": "%s", "version": "%s", "display_name": "The %1$s",
       "capabilities": {"human_interaction": ["otp"],
         "refresh_policy": {"recommended_mode": "automatic", "rationale": "new books come daily",
                            "recommended_interval_seconds": 3600, "minimum_interval_seconds": 600}},
       "runtime_requirements": {"bindings": {"network": {"required": true}}},
       "streams": [{"name": "books", "semantics": "mutable_state", "primary_key": ["isbn"],
         "schema": {"type": "object", "required": ["isbn"],
                    "properties": {"isbn": {"type": "string"}, "title": {"type": "string"}}}}]}
      """;

  private Folders() {}

  /** A connector that is described and cannot run. */
  public static Path described(Path registry, String id, String version) {
    return write(registry.resolve(id), "manifest.json", MANIFEST.formatted(id, version));
  }

  /** A connector whose program is a shell script in its folder. */
  public static Path runnable(Path registry, String id, String version, String script) {
    return runnable(registry, id, version, script, "");
  }

  /** The same with further members of its launch.json. */
  public static Path runnable(
      Path registry, String id, String version, String script, String members) {
    Path folder = described(registry, id, version);
    write(folder, "connector.sh", script);
    return write(folder, "launch.json", "{\"command\": [\"sh\", \"connector.sh\"]" + members + "}");
  }

  /** Its manifest advises against runs nobody asked for. */
  static void askFirst(Path folder) {
    Path manifest = folder.resolve("manifest.json");
    try {
      String text = Files.readString(manifest);
      write(folder, "manifest.json", text.replace("\"automatic\"", "\"manual\""));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Path write(Path folder, String file, String text) {
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve(file), text);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
