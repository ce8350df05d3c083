package dev.runlane.postgres.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ResourceCacheTest {
  private final List<Integer> made = new ArrayList<>();
  private final ResourceCache<Integer, Object> cache = new ResourceCache<>(key -> {
    made.add(key);
    return "of " + key;
  });

  @Test
  void what_is_asked_for_again_is_the_same() {
    Object first = cache.get(1);

    assertThat(cache.get(1)).isSameAs(first);
    assertThat(made).containsExactly(1);
  }

  @Test
  void the_sixteen_last_asked_for_are_kept() {
    IntStream.rangeClosed(1, 16).forEach(cache::get);
    cache.get(1);
    cache.get(17);
    made.clear();

    cache.get(1);
    IntStream.rangeClosed(3, 17).forEach(cache::get);
    assertThat(made).isEmpty();
    cache.get(2);
    assertThat(made).containsExactly(2);
  }

  @Test
  void what_could_not_be_made_is_tried_again() {
    List<String> tried = new ArrayList<>();
    ResourceCache<Integer, Object> failing = new ResourceCache<>(key -> {
      tried.add("once");
      throw new IllegalStateException("there is no resource " + key);
    });

    assertThatThrownBy(() -> failing.get(1)).hasMessage("there is no resource 1");
    assertThatThrownBy(() -> failing.get(1)).isInstanceOf(IllegalStateException.class);
    assertThat(tried).hasSize(2);
  }
}
