package dev.runlane.connector.protocol.start;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.manifest.ManifestReader;
import dev.runlane.connector.protocol.text.Texts;
import dev.runlane.json.StorableText;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one run may send: the streams and limits of START, normalised.
 *
 * @param streams at least one, names unique
 * @param explicit whether somebody asked for these streams, rather than for whatever there is
 */
public record StartScope(List<StreamScope> streams, boolean explicit) {
  /** Copies the list. */
  public StartScope {
    streams = List.copyOf(streams);
  }

  /**
   * All streams of the manifest but those it does not support. Fails with {@link
   * dev.runlane.run.ErrorCode#CONNECTOR_INVALID} when that leaves none, and with {@link
   * dev.runlane.run.ErrorCode#VALIDATION_FAILED} when {@code since} is no instant.
   *
   * @param since the first instant to collect of every stream that has a consent time, or null for all
   */
  public static StartScope derived(ConnectorManifest manifest, @Nullable String since) {
    TimeRange range = since == null ? null : new TimeRange(since, null);
    List<StreamScope> streams = manifest.streams().stream()
        .filter(stream -> !stream.unsupportedInMode())
        .map(stream -> new StreamScope(
            stream.name(), List.of(), stream.consentTimeField() == null ? null : range, List.of()))
        .toList();
    if (streams.isEmpty()) {
      throw ManifestReader.invalid("it leaves no stream that can be collected");
    }
    return new StartScope(streams, false);
  }

  /**
   * The scope that is asked for: {@code {"streams": [{"name", "resources"?, "fields"?, "time_range"?}]}},
   * with the fields that records cannot do without added to those asked for. A field that the schema does
   * not name is allowed, since a schema need not name all its fields; a time range on a stream without
   * consent time is passed on to the connector and cannot be checked; an empty {@code resources} asks for
   * all of them. Fails with {@link dev.runlane.run.ErrorCode#VALIDATION_FAILED}, which names the stream
   * and the member, for anything else.
   */
  public static StartScope requested(ConnectorManifest manifest, Json request) {
    return new StartScope(ScopeReader.read(manifest, request), true);
  }

  /**
   * The same scope with the streams of {@code resources} held to these resources. Fails with {@link
   * dev.runlane.run.ErrorCode#VALIDATION_FAILED} for a stream that is not in this scope, for an empty list
   * and for names that are blank or cannot be stored.
   */
  public StartScope withResources(Map<String, List<String>> resources) {
    resources.forEach((name, ids) -> {
      if (stream(name).isEmpty()) {
        throw RunlaneException.validationFailed(
            "resources name stream %s, which is not in scope", Texts.cut(name, 100));
      }
      if (ids.isEmpty() || ids.stream().anyMatch(String::isBlank)) {
        throw RunlaneException.validationFailed(
            "resources of stream %s must be a list of texts that are not blank", name);
      }
      ids.forEach(id -> StorableText.require("resources", id));
    });
    return new StartScope(
        streams.stream()
            .map(stream -> {
              List<String> ids = resources.get(stream.name());
              return ids == null ? stream : stream.withResources(ids);
            })
            .toList(),
        explicit);
  }

  /** Whether resources, a time range or fields hold one of the streams to a part of it. */
  public boolean isPart() {
    return streams.stream().anyMatch(StreamScope::isPart);
  }

  /** The stream with this name, or empty when it is not in scope. */
  public Optional<StreamScope> stream(String name) {
    return streams.stream().filter(stream -> stream.name().equals(name)).findFirst();
  }

  /** The names of the streams, in order. */
  public List<String> names() {
    return streams.stream().map(StreamScope::name).toList();
  }
}
