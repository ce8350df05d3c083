package dev.runlane.storage.memory.operator;

import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.kept.Pages;
import dev.runlane.storage.read.Page;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** The documents of one environment. */
public final class Documents {
  private final Map<String, NavigableMap<String, OperatorDocument>> kinds = new HashMap<>();

  public Optional<Long> put(PutDocument command) {
    NavigableMap<String, OperatorDocument> kind = kind(command.kind());
    OperatorDocument before = kind.get(command.name());
    long version = before == null ? 0 : before.version();
    if (command.expectedVersion() != null && command.expectedVersion() != version) {
      return Optional.empty();
    }
    kind.put(
        command.name(),
        new OperatorDocument(
            command.kind(),
            command.name(),
            version + 1,
            command.content(),
            command.actor(),
            command.now()));
    return Optional.of(version + 1);
  }

  public boolean remove(RemoveDocument command) {
    return kind(command.kind()).remove(command.name()) != null;
  }

  public Page<OperatorDocument> list(ListDocuments query) {
    Cursors cursors = Cursors.of(query);
    NavigableMap<String, OperatorDocument> all = kind(query.kind());
    return Pages.of(
        cursors
            .decode(query.cursor(), 1)
            .map(parts -> all.tailMap(parts.get(0), false))
            .orElse(all)
            .values()
            .stream(),
        query.limit(),
        last -> cursors.encode(last.name()));
  }

  private NavigableMap<String, OperatorDocument> kind(String name) {
    return kinds.computeIfAbsent(name, made -> new TreeMap<>(Identifiers.ORDER));
  }
}
