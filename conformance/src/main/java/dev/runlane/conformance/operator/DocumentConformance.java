package dev.runlane.conformance.operator;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.operator.document.ListDocuments;
import dev.runlane.operator.document.OperatorDocument;
import dev.runlane.operator.document.PutDocument;
import dev.runlane.operator.document.RemoveDocument;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What operators keep for themselves. */
@DisplayName("documents of operators")
public abstract class DocumentConformance extends OperatorConformance {
  private static final Json CONTENT = json("{\"threshold\":0.1}");
  private static final Json OTHER = json("{\"threshold\": 0.2}");

  @Test
  @Rule("operator")
  void a_document_is_listed_as_it_was_put_last() {
    assertThat(put("rule", "a", null, CONTENT, NOON)).contains(1L);
    assertThat(put("rule", "a", null, OTHER, minutes(1))).contains(2L);

    assertThat(list("rule"))
        .containsExactly(new OperatorDocument("rule", "a", 2, OTHER, ANNA, minutes(1)));
  }

  @Test
  @Rule("operator")
  void a_document_that_is_not_as_expected_stays_as_it_is() {
    put("rule", "a", 0L, CONTENT, NOON);

    assertThat(put("rule", "a", 0L, OTHER, NOON)).isEmpty();
    assertThat(put("rule", "a", 2L, OTHER, NOON)).isEmpty();
    assertThat(put("rule", "missing", 1L, OTHER, NOON)).isEmpty();
    assertThat(list("rule")).extracting(OperatorDocument::content).containsExactly(CONTENT);
    assertThat(put("rule", "a", 1L, OTHER, NOON)).contains(2L);
  }

  @Test
  @Rule("operator")
  void of_many_that_expect_one_version_one_changes_it() {
    put("rule", "a", 0L, CONTENT, NOON);

    Race.Results<Optional<Long>> race = race(Race.times(
        8,
        i -> adapter ->
            adapter.operator().orElseThrow().putDocument(command("rule", "a", 1L, OTHER, NOON))));

    assertThat(race.failures()).isEmpty();
    assertThat(race.results().stream().flatMap(Optional::stream)).containsExactly(2L);
  }

  @Test
  @Rule("operator")
  void a_document_that_is_removed_is_gone_once() {
    put("rule", "a", null, CONTENT, NOON);
    put("filter", "a", null, CONTENT, NOON);

    assertThat(remove("rule", "a")).isTrue();
    assertThat(remove("rule", "a")).isFalse();
    assertThat(list("rule")).isEmpty();
    assertThat(list("filter")).hasSize(1);
    assertThat(put("rule", "a", 0L, CONTENT, NOON)).contains(1L);
  }

  @Test
  @Rule("operator")
  void a_document_that_is_removed_is_not_made_anew_by_who_expects_a_version() {
    for (int i = 0; i < 20; i++) {
      put("rule", "name_" + i, 0L, CONTENT, NOON);
    }

    Race.Results<Boolean> race = race(Race.times(
        40,
        i -> adapter -> i % 2 == 0
            ? adapter
                .operator()
                .orElseThrow()
                .putDocument(command("rule", "name_" + i / 2, 1L, OTHER, NOON))
                .map(Optional::isPresent)
            : adapter
                .operator()
                .orElseThrow()
                .removeDocument(new RemoveDocument(ENVIRONMENT, "rule", "name_" + i / 2))));

    assertThat(race.failures()).isEmpty();
    assertThat(list("rule")).isEmpty();
  }

  @Test
  @Rule("operator")
  void documents_of_a_kind_are_listed_by_their_names_in_pages() {
    List.of("b", "Z", "a").forEach(name -> put("rule", name, null, CONTENT, NOON));
    put("filter", "c", null, CONTENT, NOON);

    assertThat(pages(
            cursor -> operator.listDocuments(new ListDocuments(ENVIRONMENT, "rule", 2, cursor))))
        .extracting(page -> page.stream().map(OperatorDocument::name).toList())
        .containsExactly(List.of("Z", "a"), List.of("b"));
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_documents() {
    put("rule", "a", null, CONTENT, NOON);

    assertThat(
            done(operator.listDocuments(new ListDocuments(OTHER_ENVIRONMENT, "rule", null, null)))
                .data())
        .isEmpty();
    assertThat(done(operator.removeDocument(new RemoveDocument(OTHER_ENVIRONMENT, "rule", "a"))))
        .isFalse();
  }

  @Test
  @Rule("operator")
  void a_page_without_a_limit_has_the_default_and_a_greater_one_is_cut_to_the_maximum() {
    for (int i = 0; i <= ContractDefaults.MAX_PAGE_LIMIT; i++) {
      put("rule", "document_" + i, 0L, CONTENT, NOON);
    }

    assertThat(page(null).data()).hasSize(ContractDefaults.PAGE_LIMIT);
    assertThat(page(Integer.MAX_VALUE).data()).hasSize(ContractDefaults.MAX_PAGE_LIMIT);
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_documents_are_refused() {
    String large = "\"" + "x".repeat(PutDocument.MOST_BYTES) + "\"";
    for (PutDocument malformed : List.of(
        command("", "a", null, CONTENT, NOON),
        command("rule", "a:b", null, CONTENT, NOON),
        command("rule", "a", -1L, CONTENT, NOON),
        command("rule", "a", null, json(large), NOON))) {
      assertFails(operator.putDocument(malformed), ErrorCode.VALIDATION_FAILED);
    }
    assertFails(
        operator.listDocuments(new ListDocuments(ENVIRONMENT, "rule", 0, null)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.removeDocument(new RemoveDocument(ENVIRONMENT, "rule", "")),
        ErrorCode.VALIDATION_FAILED);
  }

  private static Json json(String text) {
    return JsonValues.parse("the content", text, JsonLimits.PAYLOAD);
  }

  private static PutDocument command(
      String kind, String name, @Nullable Long expected, Json content, Instant now) {
    return new PutDocument(ENVIRONMENT, kind, name, expected, content, ANNA, now);
  }

  private Optional<Long> put(
      String kind, String name, @Nullable Long expected, Json content, Instant now) {
    return done(operator.putDocument(command(kind, name, expected, content, now)));
  }

  private boolean remove(String kind, String name) {
    return done(operator.removeDocument(new RemoveDocument(ENVIRONMENT, kind, name)));
  }

  private Page<OperatorDocument> page(@Nullable Integer limit) {
    return done(operator.listDocuments(new ListDocuments(ENVIRONMENT, "rule", limit, null)));
  }

  private List<OperatorDocument> list(String kind) {
    return done(operator.listDocuments(new ListDocuments(ENVIRONMENT, kind, null, null)))
        .data();
  }
}
