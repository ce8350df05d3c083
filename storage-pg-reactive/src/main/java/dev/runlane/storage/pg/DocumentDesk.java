package dev.runlane.storage.pg;

import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.operator.queue.ListOccupied;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.pg.row.Lists;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Documents of operators, and who holds the slots of a queue; commands come here checked. */
final class DocumentDesk {
  private static final SqlStatement<PgSession.Scoped<ListOccupied>> OCCUPIED = PgSession.statement(
      "list_occupied",
      new Parameters<ListOccupied>()
          .value("queue", ListOccupied::queue)
          .value("limit", ListOccupied::limit));
  private static final SqlStatement<PgSession.Scoped<PutDocument>> PUT = PgSession.statement(
      "put_document",
      new Parameters<PutDocument>()
          .value("kind", PutDocument::kind)
          .value("name", PutDocument::name)
          .value("expected", PutDocument::expectedVersion)
          .value("content", each -> each.content().text())
          .of(PutDocument::actor, PgOperatorStore.ACTOR)
          .time("now", PutDocument::now));
  private static final SqlStatement<PgSession.Scoped<RemoveDocument>> REMOVE = PgSession.statement(
      "remove_document",
      new Parameters<RemoveDocument>()
          .value("kind", RemoveDocument::kind)
          .value("name", RemoveDocument::name));
  private static final SqlStatement<PgSession.Scoped<After>> LIST = PgSession.statement(
      "list_documents",
      new Parameters<After>()
          .value("kind", After::kind)
          .value("after_name", After::name)
          .value("limit", after -> after.limit() + 1));

  static final List<SqlStatement<?>> STATEMENTS = List.of(OCCUPIED, PUT, REMOVE, LIST);

  private final PgParts parts;
  private final PgSession session;

  DocumentDesk(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
  }

  Future<List<OccupiedPartition>> occupied(ListOccupied query) {
    return parts
        .alone(query.environment(), scope -> session.execute(OCCUPIED, scope, query))
        .map(
            rows -> Lists.mapped(rows, row -> new OccupiedPartition(row.textOrNull(), row.count())))
        .recover(PgFailures.during("listOccupied"));
  }

  Future<Optional<Long>> put(PutDocument command) {
    return parts
        .alone(command.environment(), scope -> session.execute(PUT, scope, command))
        .map(rows -> Lists.mapped(rows, RowReader::number).stream().findFirst())
        .recover(PgFailures.during("putDocument"));
  }

  Future<Boolean> remove(RemoveDocument command) {
    return parts
        .alone(command.environment(), scope -> session.execute(REMOVE, scope, command))
        .map(rows -> rows.rowCount() > 0)
        .recover(PgFailures.during("removeDocument"));
  }

  Future<Page<OperatorDocument>> list(ListDocuments query) {
    Cursors cursors = Cursors.of(query);
    int limit = CommandChecks.pageLimit(query.limit());
    String name = cursors.decode(query.cursor(), 1).map(found -> found.get(0)).orElse(null);
    return parts
        .alone(
            query.environment(),
            scope -> session.execute(LIST, scope, new After(query.kind(), name, limit)))
        .map(rows -> Lists.mapped(rows, row -> document(query.kind(), row)))
        .map(found -> found.size() <= limit
            ? new Page<>(found, null)
            : new Page<>(
                found.subList(0, limit), cursors.encode(found.get(limit - 1).name())))
        .recover(PgFailures.during("listDocuments"));
  }

  private static OperatorDocument document(String kind, RowReader row) {
    return new OperatorDocument(
        kind, row.text(), row.number(), row.json(), PgOperatorStore.actor(row), row.time());
  }

  /** Behind which a page begins; null where it is the first. */
  private record After(String kind, @Nullable String name, int limit) {}
}
