package dev.runlane.postgres.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SqlTextTest {
  @Test
  void each_name_has_one_position_in_the_order_of_the_text() {
    SqlText text = numbered("SELECT :b, :a FROM unnest(:run_ids::text[]) WHERE x = :b");

    assertThat(text.numbered()).isEqualTo("SELECT $1, $2 FROM unnest($3::text[]) WHERE x = $1");
    assertThat(text.positions(Placeholders.NUMBERED)).containsExactly("b", "a", "run_ids");
  }

  @Test
  void each_name_is_marked_wherever_it_stands_and_a_list_has_its_places() {
    SqlText text = marked("SELECT :a WHERE id IN (:ids) AND b = :a");

    assertThat(text.marked(place -> place == 1 ? 3 : 1))
        .isEqualTo("SELECT ? WHERE id IN (?, ?, ?) AND b = ?");
    assertThat(text.positions(Placeholders.QUESTION_MARKS)).containsExactly("a", "ids", "a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT x::text, y :: integer[]",
        "SELECT ':a', 'it''s :b', '::c'",
        "SELECT E'a\\':b', e'\\\\', U&':c'",
        "SELECT \"a:b\", \"a\"\":b\"",
        "SELECT 1 -- of :a\n + 2 -- and :b",
        "SELECT /* :a /* :b */ :c */ 1",
        "SELECT $$ :a $$, $tag$ :a $$ :b $tag$",
        "SELECT x[1:n], x[a:b], x[:n], x[(1):n], x[y[1]:n], x[1 : 2]",
        "SELECT '12:30'::time, a||':'||b",
      })
  void casts_literals_comments_quotes_and_slices_hold_no_names(String sql) {
    assertThat(numbered(sql).names()).isEmpty();
    assertThat(numbered(sql).numbered()).isEqualTo(sql);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 'it\\'s :b', \"it\\\"s :b\"",
        "SELECT `a:b` FROM `x``:y`",
        "SELECT /* :a /* :b */ 1",
      })
  void the_literals_of_mysql_hold_no_names(String sql) {
    assertThat(marked(sql).names()).isEmpty();
  }

  @Test
  void a_name_may_stand_beside_literals_casts_and_slices() {
    assertThat(numbered("SELECT 'x'||:a||'y', (:b)::text, x[(:c)], -:d, :e::text[]")
            .names())
        .containsExactly("a", "b", "c", "d", "e");
  }

  @Test
  void a_position_is_refused() {
    assertThatThrownBy(() -> numbered("SELECT $12")).hasMessageContaining("$12");
    assertThatThrownBy(() -> marked("SELECT ?")).hasMessageContaining("?");
    assertThat(numbered("SELECT '$1', x ? 'a'").names()).isEmpty();
    assertThat(marked("SELECT '?'").names()).isEmpty();
  }

  private static SqlText numbered(String sql) {
    return SqlText.parse(sql, Placeholders.NUMBERED);
  }

  private static SqlText marked(String sql) {
    return SqlText.parse(sql, Placeholders.QUESTION_MARKS);
  }
}
