package dev.runlane.connector.protocol.manifest;

import dev.runlane.connector.protocol.message.InteractionKind;
import dev.runlane.run.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a connector says about itself.
 *
 * @param connectorId its id, not blank
 * @param connectorKey its short name, or null
 * @param version any text that is not blank
 * @param displayName its name for people; the id where it gives none
 * @param requiredBindings the bindings without which it cannot run
 * @param optionalBindings the bindings it can use
 * @param interactionKinds the kinds of question it may ask
 * @param refreshPolicy how often it should run, or null
 * @param streams at least one, names unique
 * @param source the whole manifest, minified
 */
public record ConnectorManifest(
    String connectorId,
    @Nullable String connectorKey,
    String version,
    String displayName,
    Set<String> requiredBindings,
    Set<String> optionalBindings,
    List<InteractionKind> interactionKinds,
    @Nullable RefreshPolicy refreshPolicy,
    List<ManifestStream> streams,
    Json source) {
  /** Largest manifest in bytes of UTF-8 = {@value}. */
  public static final int MAX_BYTES = 4 * 1024 * 1024;

  /** Copies the collections. */
  public ConnectorManifest {
    requiredBindings = Set.copyOf(requiredBindings);
    optionalBindings = Set.copyOf(optionalBindings);
    interactionKinds = List.copyOf(interactionKinds);
    streams = List.copyOf(streams);
  }

  /**
   * Reads a manifest of protocol version 0.1.0. Fails with {@link
   * dev.runlane.run.ErrorCode#CONNECTOR_INVALID}, which names the member, for one that cannot be used;
   * members nobody knows are passed over, except in the refresh policy, where they are refused.
   */
  public static ConnectorManifest parse(String text) {
    return ManifestReader.read(text);
  }

  /** The stream with this name, or empty. */
  public Optional<ManifestStream> stream(String name) {
    return streams.stream().filter(stream -> stream.name().equals(name)).findFirst();
  }

  /**
   * What two manifests of one connector have in common when either can stand for the other: a hash of the
   * version and the sorted stream names.
   */
  public String fingerprint() {
    StringBuilder parts = new StringBuilder();
    append(parts, version);
    streams.stream().map(ManifestStream::name).sorted().forEach(name -> append(parts, name));
    return HexFormat.of().formatHex(sha256(parts.toString()));
  }

  /** The length goes first, so that no two lists of parts make the same text. */
  private static void append(StringBuilder parts, String part) {
    parts.append(part.length()).append(':').append(part);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
    }
  }
}
