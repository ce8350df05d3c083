package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.broken.FaultSample;
import dev.runlane.conformance.drawn.Trial;
import dev.runlane.conformance.drawn.storage.OperatorModelConformance;
import dev.runlane.conformance.drawn.storage.StorageContract;
import dev.runlane.storage.StorageAdapter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sequences of the model notice a storage that breaks one sentence of the contract: nearly all such storages by the
 * default ones, the others by twice as many, or four times where operators take part.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenForTheModelTest {
  private static final int COMMANDS = 60;

  static List<BrokenAdapter<StorageAdapter>> all() {
    return FaultSample.of(
        Stream.of(MisreadQueries.ALL, MisreadCommands.ALL, AlteredAnswers.ALL, SubtleFaults.IN_RUNS)
            .flatMap(List::stream)
            .toList());
  }

  @ParameterizedTest(name = "a storage that {0}")
  @MethodSource("all")
  void the_model_notices(BrokenAdapter<StorageAdapter> broken) {
    StorageAdapter storage = broken.breaking().apply(new MemoryStorage());
    Trial<?, ?> trial = new Trial<>(new StorageContract(), List.of(storage));

    assertThat(trial.firstWronglyAnswered(2 * Trial.SEQUENCES, COMMANDS))
        .as("%s", broken)
        .isPresent();
  }

  static List<BrokenAdapter<StorageAdapter>> ofOperators() {
    return FaultSample.of(SubtleFaults.IN_OPERATIONS);
  }

  @ParameterizedTest(name = "a storage that {0}")
  @MethodSource("ofOperators")
  void the_model_notices_where_operators_take_part(BrokenAdapter<StorageAdapter> broken) {
    StorageAdapter storage = broken.breaking().apply(new MemoryStorage());
    Trial<?, ?> trial = new Trial<>(StorageContract.operated(), List.of(storage));

    assertThat(trial.firstWronglyAnswered(4 * OperatorModelConformance.SEQUENCES, COMMANDS))
        .as("%s", broken)
        .isPresent();
  }
}
