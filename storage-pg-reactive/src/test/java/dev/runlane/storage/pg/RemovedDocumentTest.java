package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.execute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.run.Actor;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Changes of a document that wait while somebody removes it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RemovedDocumentTest {
  private final Scene scene = Scene.open();
  private final PgStorageAdapter storage =
      scene.start(scene.options().setLockTimeout(Duration.ofSeconds(60)));

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void who_expects_a_version_does_not_make_the_document_anew() {
    assertThat(putWhileRemoved(1L)).isEmpty();
    assertThat(scene.rows("operator_documents")).isZero();
  }

  @Test
  void who_expects_nothing_makes_it_anew() {
    assertThat(putWhileRemoved(null)).contains(1L);
  }

  private Optional<Long> putWhileRemoved(@Nullable Long expected) {
    done(put(0L));
    PgConnection other = scene.begin();
    execute(other, "DELETE FROM %s.operator_documents".formatted(scene.schema()));
    Future<Optional<Long>> put = put(expected);
    Scene.until(() -> waiting() == 1);
    execute(other, "COMMIT");
    return done(put);
  }

  private Future<Optional<Long>> put(@Nullable Long expected) {
    return storage
        .operator()
        .orElseThrow()
        .putDocument(new PutDocument(
            ENVIRONMENT,
            "rule",
            "a",
            expected,
            JsonValues.parse("the content", "{}", JsonLimits.PAYLOAD),
            Actor.operator("anna"),
            NOON));
  }

  private long waiting() {
    return scene.number("""
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND query LIKE '%{schema}%operator_documents%'""");
  }
}
