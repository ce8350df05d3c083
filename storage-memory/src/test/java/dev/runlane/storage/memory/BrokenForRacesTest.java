package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.broken.FaultSample;
import dev.runlane.conformance.kit.CaseVertx;
import dev.runlane.conformance.race.RaceTrial;
import dev.runlane.storage.StorageAdapter;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The default races notice a storage that looks first and writes later. */
@ExtendWith(VertxExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenForRacesTest {
  static List<BrokenAdapter<StorageAdapter>> all() {
    return FaultSample.of(RacyFaults.ALL);
  }

  @ParameterizedTest(name = "a storage that {0}")
  @MethodSource("all")
  void a_race_notices(BrokenAdapter<StorageAdapter> broken, CaseVertx vertx) {
    StorageAdapter storage = broken.breaking().apply(new MemoryStorage());

    assertThat(new RaceTrial(List.of(storage), vertx.contexts()).firstUnexplainedInTurn())
        .isPresent();
  }
}
