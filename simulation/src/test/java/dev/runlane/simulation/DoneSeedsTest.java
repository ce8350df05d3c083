package dev.runlane.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.simulation.DoneSeeds.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DoneSeedsTest {
  @TempDir
  Path folder;

  private Path file;
  private DoneSeeds done;

  @BeforeEach
  void open() {
    file = folder.resolve("seeds-done.txt");
    done = new DoneSeeds(file);
  }

  @Test
  void the_first_seed_of_a_world_is_1() {
    done.add(new Range(1, 1, 900, "abc", 0));

    assertThat(done.next(2)).isEqualTo(1);
  }

  @Test
  void it_goes_on_after_the_last_range_of_the_world() {
    done.add(new Range(2, 1, 500, "abc", 0));
    done.add(new Range(3, 1, 20, "abc", 0));

    assertThat(new DoneSeeds(file).next(2)).isEqualTo(501);
  }

  @Test
  void what_follows_at_the_same_commit_is_the_same_range() throws IOException {
    done.add(new Range(2, 1, 500, "abc", 1));
    done.add(new Range(2, 501, 700, "abc", 2));
    done.add(new Range(2, 701, 800, "def", 0));

    assertThat(Files.readAllLines(file)).endsWith("2 1 700 abc 3", "2 701 800 def 0");
  }

  @Test
  void a_range_without_seeds_is_not_kept() {
    done.add(new Range(2, 1, 0, "abc", 0));

    assertThat(file).doesNotExist();
  }
}
