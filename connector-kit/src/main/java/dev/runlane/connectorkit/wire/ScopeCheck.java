package dev.runlane.connectorkit.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.ConnectorRecord;
import dev.runlane.connectorkit.message.Start;
import dev.runlane.connectorkit.message.StreamScope;
import dev.runlane.connectorkit.wire.ManifestRules.StreamRules;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says why the runtime would refuse a message. It never refuses what the runtime accepts: where a
 * rule needs the manifest and there is none, the runtime decides alone.
 */
public final class ScopeCheck {

  private final Map<String, StreamScope> streams = new HashMap<>();
  private final ManifestRules rules;

  public ScopeCheck(Start start, ManifestRules rules) {
    start.streams().forEach(stream -> streams.put(stream.name(), stream));
    this.rules = rules;
  }

  /** Fails with {@link ConnectorFailure} unless {@code stream} is null or in scope. */
  public void requireStream(@Nullable String stream) {
    if (stream != null && !streams.containsKey(stream)) {
      throw new ConnectorFailure(
          "stream_outside_scope", "stream " + stream + " is not in the scope of this run");
    }
  }

  /** Why {@code record} is outside the scope, in words without its values; empty when it is in. */
  public Optional<String> refusal(ConnectorRecord record) {
    StreamScope scope = streams.get(record.stream());
    if (scope == null) {
      return Optional.of("the stream is not asked for");
    }
    Optional<StreamRules> known = rules.of(record.stream());
    return known
        .filter(rule -> !includesResource(scope, rule, record))
        .map(rule -> "the resource is not asked for")
        .or(() -> unwantedField(scope, record.data()))
        .or(() -> known.flatMap(rule -> outsideTimes(scope, rule, record)));
  }

  private static boolean includesResource(
      StreamScope scope, StreamRules rule, ConnectorRecord record) {
    if (scope.includesResource(record.key().canonical())) {
      return true;
    }
    return rule.resourceField() != null
        && record.data() != null
        && scope.includesResource(record.data().path(rule.resourceField()).asText());
  }

  private static Optional<String> unwantedField(StreamScope scope, @Nullable ObjectNode data) {
    if (scope.fields() == null || data == null) {
      return Optional.empty();
    }
    for (Iterator<String> names = data.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!scope.includesField(name)) {
        return Optional.of("the field " + name + " is not asked for");
      }
    }
    return Optional.empty();
  }

  private static Optional<String> outsideTimes(
      StreamScope scope, StreamRules rule, ConnectorRecord record) {
    String field = rule.consentTimeField();
    ObjectNode data = record.data();
    if (field == null || data == null) {
      return Optional.empty();
    }
    boolean timed = data.hasNonNull(field);
    if (!timed && record.deleted()) {
      return Optional.empty();
    }
    return scope
        .times()
        .filter(times -> !timed || times.excludes(data.path(field).asText()))
        .map(times -> "the time in " + field + " is not in the range asked for");
  }
}
