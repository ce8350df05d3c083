package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The pages of {@code docs}: what they show is compiled and run, and where they lead is there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class GuideTest {
  private static final Path DOCS = MarkdownPage.PROJECT.resolve("docs");
  private static final Set<String> LANGUAGES =
      Set.of("java", "xml", "sql", "sh", "kotlin", "kts", "ini", "json", "yaml", "text");
  private static final Pattern DEPENDENCY = Pattern.compile(
      "<groupId>dev\\.runlane</groupId>\\s*<artifactId>runlane-([a-z-]+)</artifactId>\\s*"
          + "<version>([^<]+)</version>");
  private static final Pattern REVISION = Pattern.compile("<revision>([^<]+)</revision>");

  @Test
  void every_java_block_is_part_of_a_file_that_is_compiled() {
    List<String> compiled = examples("java");
    List<String> strange = new ArrayList<>();
    for (MarkdownPage page : MarkdownPage.below(DOCS)) {
      for (String block : page.blocks("java")) {
        String wanted = withoutSpace(block);
        if (compiled.stream().noneMatch(file -> file.contains(wanted))) {
          strange.add(page + ":\n" + block);
        }
      }
    }

    assertThat(compiled).isNotEmpty();
    assertThat(strange).as("blocks that no test has").isEmpty();
  }

  @Test
  void every_kotlin_block_is_part_of_a_file_that_is_compiled() {
    List<String> compiled = examples("kotlin");

    assertThat(compiled).isNotEmpty();
    assertThat(MarkdownPage.below(MarkdownPage.PROJECT).stream()
            .flatMap(page -> page.blocks("kotlin").stream())
            .map(GuideTest::withoutSpace))
        .isNotEmpty()
        .allMatch(block -> compiled.stream().anyMatch(file -> file.contains(block)));
  }

  /** The sources of examples in all modules, without white space. */
  private static List<String> examples(String language) {
    return MarkdownPage.files(MarkdownPage.PROJECT, language.equals("java") ? ".java" : ".kt")
        .stream()
        .filter(file -> file.toString().contains("/src/test/" + language + "/com/example/"))
        .map(MarkdownPage::read)
        .map(source -> withoutSpace(source.text()))
        .toList();
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }

  @Test
  void every_block_is_in_a_language_that_is_looked_at() {
    assertThat(MarkdownPage.below(DOCS))
        .allSatisfy(page -> assertThat(LANGUAGES).containsAll(page.languages()));
  }

  @Test
  void every_yaml_block_is_an_object_in_yaml() {
    Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));

    assertThat(MarkdownPage.below(DOCS).stream()
            .flatMap(page -> page.blocks("yaml").stream())
            .map(yaml::<Object>load))
        .isNotEmpty()
        .allMatch(Map.class::isInstance);
  }

  @Test
  void every_dependency_is_a_module_of_this_version() {
    String version = REVISION
        .matcher(MarkdownPage.read(MarkdownPage.PROJECT.resolve("pom.xml")).text())
        .results()
        .findFirst()
        .orElseThrow()
        .group(1);

    assertThat(MarkdownPage.below(DOCS))
        .allSatisfy(page -> DEPENDENCY.matcher(page.text()).results().forEach(found -> {
          assertThat(MarkdownPage.PROJECT.resolve(found.group(1)).resolve("pom.xml"))
              .exists();
          assertThat(found.group(2)).isEqualTo(version);
        }));
  }

  @Test
  void every_sql_block_runs_on_the_tables_of_this_version() throws Exception {
    PostgresAddress database = PostgresServers.shared().createDatabase("guide");
    Vertx vertx = Vertx.vertx();
    try {
      PgConnectOptions address = PgConnectOptions.fromUri(database.toUri());
      PgStorageAdapter storage =
          PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(address));
      done(storage.start());
      Pool pool = PgBuilder.pool()
          .with(new PoolOptions().setMaxSize(1))
          .connectingTo(address)
          .using(vertx)
          .build();
      for (MarkdownPage page : MarkdownPage.below(DOCS)) {
        done(pool.withConnection(connection -> runAndForget(connection, page)));
      }
      done(storage.close());
    } finally {
      done(vertx.close());
    }
  }

  /** All blocks of a page, one after the other, in a transaction that leaves nothing. */
  private static Future<Void> runAndForget(SqlConnection connection, MarkdownPage page) {
    return connection.begin().compose(transaction -> {
      Future<Void> blocks = Future.succeededFuture();
      for (String sql : page.blocks("sql")) {
        blocks = blocks.compose(before -> connection
            .query(sql)
            .execute()
            .<Void>mapEmpty()
            .recover(failure ->
                Future.failedFuture(new AssertionError("in " + page + ": " + sql, failure))));
      }
      return blocks.eventually(transaction::rollback);
    });
  }

  private static void done(Future<?> future) throws Exception {
    future.await(60, TimeUnit.SECONDS);
  }

  @Test
  void every_link_leads_to_a_file_and_a_heading_that_are_there() {
    List<String> broken = new ArrayList<>();
    for (MarkdownPage page : MarkdownPage.below(MarkdownPage.PROJECT)) {
      if (page.file().endsWith("PROMISES.md")) {
        continue; // quotes the others, whose links begin at their own folders
      }
      for (String link : page.links()) {
        if (!link.contains("://") && !link.startsWith("mailto:") && !leadsSomewhere(page, link)) {
          broken.add(page + " -> " + link);
        }
      }
    }

    assertThat(broken).isEmpty();
  }

  private static boolean leadsSomewhere(MarkdownPage page, String link) {
    String[] parts = link.split("#", 2);
    Path target =
        parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    if (parts.length == 1) {
      return true;
    }
    Path file = Files.isDirectory(target) ? target.resolve("README.md") : target;
    return Files.exists(file) && MarkdownPage.read(file).anchors().contains(parts[1]);
  }

  @Test
  void every_code_that_a_call_fails_with_is_explained() {
    String errors = MarkdownPage.read(DOCS.resolve("errors.md")).text();

    assertThat(ErrorCode.values())
        .allSatisfy(code -> assertThat(errors).contains("\n| `" + code.value() + "` |"));
  }

  @Test
  void every_page_is_reached_from_the_index() {
    MarkdownPage index = MarkdownPage.read(DOCS.resolve("README.md"));
    Set<Path> linked = new HashSet<>();
    index.links().stream()
        .filter(link -> !link.contains("://"))
        .map(link -> index.file().resolveSibling(link.split("#", 2)[0]).normalize())
        .forEach(linked::add);

    assertThat(linked)
        .containsAll(MarkdownPage.below(DOCS).stream()
            .map(MarkdownPage::file)
            .filter(file -> !file.equals(index.file()))
            .toList());
  }
}
