package com.example.connectors;

import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.connector.store.record.RecordChange;
import dev.runlane.connector.store.record.RecordReads;
import dev.runlane.connector.store.record.StoredRecord;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads the books that a connector has collected, and follows what changes. */
final class Books {
  private static final String CONNECTION = "shelf"; // the connector's id: it has one connection
  private static final String STREAM = "books";
  private static final int PAGE = 1_000;

  private final RecordReads reads;

  Books(PgConnectorStore store) {
    reads = store.records();
  }

  /** Empty where it was never collected; a deleted one has no data. */
  Future<Optional<StoredRecord>> book(String isbn) {
    return reads.record(CONNECTION, STREAM, isbn);
  }

  /** All of them in the order of their keys, deleted ones included. */
  Future<Void> all(Consumer<StoredRecord> each) {
    return after("", each);
  }

  private Future<Void> after(String key, Consumer<StoredRecord> each) {
    return reads.records(CONNECTION, STREAM, key, PAGE).compose(page -> {
      page.forEach(each);
      return page.size() < PAGE
          ? Future.succeededFuture()
          : after(page.get(page.size() - 1).key(), each);
    });
  }

  /** What changed after the change {@code known}, 0 for all; answers the last one, to be kept until the next call. */
  Future<Long> changes(long known, Consumer<RecordChange> each) {
    return reads.changes(CONNECTION, STREAM, known, PAGE).compose(page -> {
      page.forEach(each);
      long last = page.isEmpty() ? known : page.get(page.size() - 1).sequence();
      return page.size() < PAGE ? Future.succeededFuture(last) : changes(last, each);
    });
  }

  /** Whether no change after {@code known} was deleted meanwhile; else {@link #all} has to be read again. */
  Future<Boolean> isComplete(long known) {
    return known == 0
        ? Future.succeededFuture(true)
        : reads.changes(CONNECTION, STREAM, known - 1, 1).map(page -> page.stream()
            .anyMatch(change -> change.sequence() == known));
  }
}
