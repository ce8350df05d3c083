package dev.runlane.console.contract;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.console.answer.ApiRefusal;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("the document of the API")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ApiDocumentTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, SECONDS);
  }

  @Test
  void is_loaded_once_for_consoles_of_several_instances_of_Vertx() throws Exception {
    Vertx other = Vertx.vertx();
    try {
      assertThat(load(other)).isSameAs(load(vertx));
    } finally {
      other.close().await(30, SECONDS);
    }
  }

  @Test
  void is_not_changed_by_who_reads_it() throws Exception {
    ApiDocument document = load(vertx);

    document.json().put("paths", "none");

    assertThat(document.json().getJsonObject("paths").fieldNames()).isNotEmpty();
  }

  @Test
  void is_refused_in_a_language_with_another_capital_i_though_it_was_loaded() throws Exception {
    load(vertx);
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr"));
    try {
      assertThatThrownBy(() -> load(vertx)).hasMessageContaining("-Duser.language=en");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void is_read_where_neither_Vertx_nor_the_thread_finds_resources_of_the_class_path()
      throws Exception {
    JsonObject document = load(vertx).json();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
    Vertx without = Vertx.vertx(new VertxOptions()
        .setFileSystemOptions(new FileSystemOptions()
            .setFileCachingEnabled(false)
            .setClassPathResolvingEnabled(false)));
    try {
      assertThat(ApiDocument.contract(without, document).await(60, SECONDS).operations())
          .isNotEmpty();
    } finally {
      thread.setContextClassLoader(before);
      without.close().await(30, SECONDS);
    }
  }

  @Test
  void checks_requests_of_several_threads_at_once() throws Exception {
    ApiDocument document = load(vertx);

    assertThat(IntStream.range(0, 200).parallel())
        .allSatisfy(number -> document.operations().stream()
            .filter(ApiOperation::takesBody)
            .forEach(operation -> assertThatThrownBy(
                    () -> operation.body("application/json", Buffer.buffer("{\"surprise\":1}")))
                .as(operation.id())
                .isInstanceOf(ApiRefusal.class)));
  }

  private static ApiDocument load(Vertx vertx) throws Exception {
    return ApiDocument.load(vertx).await(60, SECONDS);
  }
}
