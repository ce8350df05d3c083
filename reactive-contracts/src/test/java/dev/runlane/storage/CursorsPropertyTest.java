package dev.runlane.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.runlane.json.StorableText;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.samples.Samples;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import java.util.Collection;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Positions come back whole; filters that differ never share a cursor; nothing but our own is read. */
class CursorsPropertyTest {
  @Property(tries = 300)
  void every_position_round_trips(
      @ForAll @Size(min = 1, max = 4) List<@From("ids") String> position) {
    Cursors cursors = filtered(List.of(), null);

    String cursor = cursors.encode(position.toArray(String[]::new));

    assertThat(cursors.decode(cursor, position.size())).contains(position);
  }

  @Property(tries = 500)
  void requests_that_differ_never_share_a_cursor(
      @ForAll @Size(max = 3) List<@From("ids") String> queues,
      @ForAll @Size(max = 3) List<@From("ids") String> others,
      @ForAll("ids") String key,
      @ForAll("ids") String otherKey) {
    boolean same = sorted(queues).equals(sorted(others)) && key.equals(otherKey);
    String cursor = filtered(queues, key).encode("x");

    Throwable failure = catchThrowable(() -> filtered(others, otherKey).decode(cursor, 1));

    assertThat(failure == null).isEqualTo(same);
  }

  @Property(tries = 500)
  void whatever_is_not_a_cursor_is_refused(@ForAll String anything) {
    assertThat(catchThrowable(() -> filtered(List.of(), null).decode(anything, 1)))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  @Provide
  Arbitrary<String> ids() {
    Arbitrary<String> any = Arbitraries.strings()
        .ofMaxLength(6)
        .map(text -> StorableText.repaired(text).replace(':', ';'));
    return Arbitraries.oneOf(any, Arbitraries.of("a", "b", ",", "1:a", "\n", "-", "=a"));
  }

  private static Cursors filtered(List<String> queues, String key) {
    return Cursors.of(new ListRuns(
        Samples.PRODUCTION,
        RunFilter.ALL.withQueues(queues).withConcurrencyKey(key),
        RunSort.NEWEST_FIRST,
        null,
        null));
  }

  private static List<String> sorted(Collection<String> values) {
    return values.stream().distinct().sorted().toList();
  }
}
