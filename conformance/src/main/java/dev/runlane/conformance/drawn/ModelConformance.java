package dev.runlane.conformance.drawn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.model.StorageModel;
import dev.runlane.conformance.storage.StorageConformance;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Commands drawn from seeds are answered as {@link StorageModel} answers them, and leave behind what it says. More
 * seeds: {@code -Drunlane.model.sequences=10000 -Drunlane.model.from=301}.
 */
@DisplayName("what a model of the contract says")
public abstract class ModelConformance extends StorageConformance {
  static final int SEQUENCES = Integer.getInteger("runlane.model.sequences", 300);
  static final int COMMANDS = Integer.getInteger("runlane.model.commands", 60);
  private static final long FROM = Long.getLong("runlane.model.from", 1);

  /** Sequences under way at the same time = 4, so that storages may gather their commands. */
  private static final int AT_ONCE = 4;

  @Test
  @Rule("model")
  void commands_drawn_from_seeds_are_answered_as_the_model_answers_them() {
    Trial trial = trial();
    failureOf(trial, LongStream.range(FROM, FROM + SEQUENCES).boxed().toList())
        .map(new Shrinking(trial)::shortest)
        .ifPresent(failure -> fail(Story.of(failure)));
  }

  /** A sequence that was found once. */
  protected void assertHeld(Step... steps) {
    assertThat(trial().ofSteps(List.of(steps), true)).isEmpty();
  }

  protected static Step step(int number, Object command) {
    return new Step(number, command);
  }

  private Trial trial() {
    return new Trial(competitors());
  }

  /** Of the first seed that fails, though later ones may have been tried beside it. */
  private static Optional<Trial.Failure> failureOf(Trial trial, List<Long> seeds) {
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      for (int from = 0; from < seeds.size(); from += 5 * AT_ONCE) {
        List<Callable<Optional<Trial.Failure>>> some = new ArrayList<>();
        for (Long seed : seeds.subList(from, Math.min(from + 5 * AT_ONCE, seeds.size()))) {
          some.add(() -> trial.ofSeed(seed, COMMANDS));
        }
        for (Future<Optional<Trial.Failure>> each : threads.invokeAll(some)) {
          Optional<Trial.Failure> failure = each.get();
          if (failure.isPresent()) {
            return failure;
          }
        }
      }
      return Optional.empty();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", interrupted);
    } catch (ExecutionException failed) {
      throw new AssertionError("a sequence ended without an answer", failed.getCause());
    } finally {
      threads.shutdownNow();
    }
  }
}
