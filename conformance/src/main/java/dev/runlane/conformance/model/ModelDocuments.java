package dev.runlane.conformance.model;

import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.read.Page;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the model answers about documents of operators. */
public final class ModelDocuments {
  private final ModelPages pages;
  private final List<Kept> documents = new ArrayList<>();

  public ModelDocuments(Names names) {
    this.pages = new ModelPages(names);
  }

  public Optional<Long> put(PutDocument command) {
    OperatorChecks.check(command);
    long version = version(command.environment(), command.kind(), command.name());
    if (command.expectedVersion() != null && command.expectedVersion() != version) {
      return Optional.empty();
    }
    take(command.environment(), command.kind(), command.name());
    documents.add(new Kept(
        command.environment(),
        new OperatorDocument(
            command.kind(),
            command.name(),
            version + 1,
            command.content(),
            command.actor(),
            command.now())));
    return Optional.of(version + 1);
  }

  /** Which version is there; 0: none is. */
  public long version(Environment environment, String kind, String name) {
    return documents.stream()
        .filter(each -> each.isNamed(environment, kind, name))
        .map(each -> each.document.version())
        .findFirst()
        .orElse(0L);
  }

  public boolean remove(RemoveDocument command) {
    OperatorChecks.check(command);
    return take(command.environment(), command.kind(), command.name());
  }

  private boolean take(Environment environment, String kind, String name) {
    return documents.removeIf(each -> each.isNamed(environment, kind, name));
  }

  public Page<OperatorDocument> list(ListDocuments query) {
    OperatorChecks.check(query);
    return pages.page(
        List.of(query.environment(), query.kind()),
        known(query.environment()).filter(each -> each.kind().equals(query.kind())),
        Comparator.comparing(OperatorDocument::name, Identifiers.ORDER),
        query.limit(),
        query.cursor());
  }

  /** The documents of an environment. */
  public Stream<OperatorDocument> known(Environment environment) {
    return documents.stream()
        .filter(each -> each.environment.equals(environment))
        .map(each -> each.document);
  }

  private record Kept(Environment environment, OperatorDocument document) {
    boolean isNamed(Environment other, String kind, String name) {
      return environment.equals(other)
          && document.kind().equals(kind)
          && document.name().equals(name);
    }
  }
}
