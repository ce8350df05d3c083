package dev.runlane.benchmarks.promises;

import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Sql;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.pgclient.PgConnectOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The servers that pieces need, each started when the first piece asks for it. */
final class Site implements AutoCloseable {
  private @Nullable ScratchServer postgres;
  private @Nullable EmbeddedKafka kafka;

  ScratchServer scratch() {
    if (postgres == null) {
      postgres = ScratchServer.start(Map.of());
      System.out.println("On " + postgres.description());
    }
    return postgres;
  }

  EmbeddedPostgres postgres() {
    return scratch().server();
  }

  EmbeddedKafka kafka() {
    if (kafka == null) {
      kafka = EmbeddedKafka.builder().temporary().start();
    }
    return kafka;
  }

  /** A database of its own for a piece. */
  PostgresAddress createDatabase() {
    return scratch().createDatabase();
  }

  static Sql open(PostgresAddress database) {
    return Sql.open(database);
  }

  static TcpLine line(PostgresAddress database) {
    return new TcpLine(database.host(), database.port());
  }

  static PgConnectOptions direct(PostgresAddress database) {
    return PgConnectOptions.fromUri(database.toUri());
  }

  /** The way to a database that leads through a line. */
  static PgConnectOptions over(TcpLine line, PostgresAddress database) {
    return direct(database).setHost("127.0.0.1").setPort(line.port());
  }

  @Override
  public void close() {
    if (kafka != null) {
      kafka.close();
    }
    if (postgres != null) {
      postgres.close();
    }
  }
}
