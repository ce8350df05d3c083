package dev.runlane.cli.operate;

import dev.runlane.connector.store.pg.PgConnectorStore;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.storage.pg.PgStorageAdapter;
import java.util.List;
import java.util.function.Function;

/** What may have tables in a schema, each brought forward by itself. Only runs have them in every schema. */
public enum SchemaModule {
  RUNS("runs", PgStorageAdapter::migrator),
  JOBS("jobs", PgJobStore::migrator),
  CONNECTORS("connectors", PgConnectorStore::migrator);

  private final String word;
  private final Function<String, Migrator> migrators;

  SchemaModule(String word, Function<String, Migrator> migrators) {
    this.word = word;
    this.migrators = migrators;
  }

  /** What it is called on the command line. */
  public String word() {
    return word;
  }

  /** What brings its tables forward in such a schema. */
  public Migrator migrator(String schema) {
    return migrators.apply(schema);
  }

  /** Whether a schema that lacks these of its migrations has tables of it, or should. */
  public boolean isUsed(Migrator migrator, List<Migrator.Pending> missing) {
    return this == RUNS || missing.size() < migrator.size();
  }
}
