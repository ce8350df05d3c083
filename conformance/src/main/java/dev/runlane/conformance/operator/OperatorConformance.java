package dev.runlane.conformance.operator;

import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.operator.OperatorStore;
import dev.runlane.run.Actor;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** One promise of what a storage keeps for operators. */
public abstract class OperatorConformance extends StorageConformance {
  protected static final Actor ANNA = Actor.operator("anna");

  protected OperatorStore operator;

  /** Takes the capability of the adapter under test. */
  @BeforeEach
  final void openOperator() {
    operator = storage
        .operator()
        .orElseThrow(() -> new AssertionError("the storage keeps nothing for operators"));
  }

  /** All rows of a list, and how many pages they came in. */
  protected static <T> List<List<T>> pages(Function<@Nullable String, Future<Page<T>>> list) {
    List<List<T>> pages = new ArrayList<>();
    String cursor = null;
    do {
      Page<T> page = Outcomes.done(list.apply(cursor));
      pages.add(page.data());
      cursor = page.nextCursor();
    } while (cursor != null);
    return pages;
  }
}
