package dev.runlane.console.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.runlane.console.access.Caller;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages whose cursors tell nothing of the rows. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CountedPagesTest {
  @ParameterizedTest
  @ValueSource(strings = {"aaaaaaa", "abcdefg", "aabbbbb", "aaaaabb"})
  void every_row_comes_once_however_many_have_one_place(String places) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < places.length(); row++) {
      rows.add(places.substring(row, row + 1) + row);
    }
    List<String> read = new ArrayList<>();

    String cursor = null;
    do {
      Page<String> page = CountedPages.read(call(cursor), true, source(rows)).result();
      assertThat(page.data()).hasSizeBetween(1, 2);
      read.addAll(page.data());
      assertThat(read).hasSizeLessThanOrEqualTo(rows.size());
      cursor = page.nextCursor();
    } while (cursor != null);

    assertThat(read).isEqualTo(rows);
  }

  private static CountedPages.Source<String> source(List<String> rows) {
    return new CountedPages.Source<>() {
      @Override
      public Future<Page<String>> page(String begin, Integer limit, String cursor) {
        return Future.succeededFuture(new Page<>(
            rows.stream().filter(row -> place(row).compareTo(begin) >= 0).toList(), null));
      }

      @Override
      public String place(String row) {
        return row.substring(0, 1);
      }
    };
  }

  private static ApiCall call(String cursor) {
    Map<String, List<String>> query = new HashMap<>(Map.of("limit", List.of("2")));
    if (cursor != null) {
      query.put("cursor", List.of(cursor));
    }
    return new ApiCall(
        Caller.LOCAL, Map.of(), query, Map.of(), JsonNodeFactory.instance.objectNode(), null);
  }
}
