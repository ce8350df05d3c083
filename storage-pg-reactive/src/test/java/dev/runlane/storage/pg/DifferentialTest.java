package dev.runlane.storage.pg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.storage.memory.MemoryStorage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random commands, given to the storage in memory and to Postgres, are answered alike, one by one. More seeds:
 * {@code -Ddifferential.seeds=1000 -Ddifferential.from=5}.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class DifferentialTest {
  private static final int COMMANDS = 400;
  private static final int REMEMBERED = 12;

  private final Scene scene = Scene.open();

  @AfterEach
  void close() {
    scene.close();
  }

  static LongStream seeds() {
    long from = Long.getLong("differential.from", 1);
    return LongStream.range(from, from + Long.getLong("differential.seeds", 2));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void both_storages_answer_alike(long seed) {
    Side memory = new Side(List.of(new MemoryStorage()));
    Side postgres = new Side(List.of(scene.start(), scene.start()));
    RandomCommands commands = new RandomCommands(seed);
    Deque<String> latest = new ArrayDeque<>();
    for (int i = 0; i < COMMANDS; i++) {
      RandomCommands.Command command = commands.next();
      latest.add(command.text());
      if (latest.size() > REMEMBERED) {
        latest.remove();
      }

      String expected = memory.answer(command.on().apply(memory));
      String actual = postgres.answer(command.on().apply(postgres));

      assertThat(actual)
          .as("answer %d of seed %d, after\n%s", i, seed, String.join("\n", latest))
          .isEqualTo(expected);
      commands.toLearn().ifPresent(query -> {
        var found = Scene.done(memory.next().getRun(query));
        assertThat(Scene.done(postgres.next().getRun(query)))
            .as(
                "run %s after command %d of seed %d: %s",
                query.runId(), latest.size(), seed, command.text())
            .isEqualTo(found);
        commands.learn(found);
      });
    }
  }
}
