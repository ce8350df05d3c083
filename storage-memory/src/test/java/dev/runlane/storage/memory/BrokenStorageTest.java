package dev.runlane.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.StorageConformanceSuite;
import dev.runlane.conformance.broken.Broken;
import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.broken.FaultSample;
import dev.runlane.conformance.broken.SuiteRun;
import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The storage suite notices a storage that breaks one sentence of the contract, and by which case. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenStorageTest {
  static final List<BrokenAdapter<StorageAdapter>> ALL = Stream.of(
          BrokenAppends.ALL,
          BrokenOwners.ALL,
          BrokenLeases.ALL,
          BrokenCapacity.ALL,
          BrokenScans.ALL,
          BrokenLists.ALL,
          BrokenOutbox.ALL,
          BrokenOccurrences.ALL,
          BrokenPruning.ALL,
          BrokenManners.ALL,
          BrokenAmounts.ALL,
          BrokenChecks.ALL)
      .flatMap(Collection::stream)
      .toList();

  static List<BrokenAdapter<StorageAdapter>> all() {
    return FaultSample.of(ALL);
  }

  @ParameterizedTest(name = "a storage that {0}")
  @MethodSource("all")
  void the_suite_notices(BrokenAdapter<StorageAdapter> broken) {
    SuiteRun run = SuiteRun.of(Suite.class, broken);

    assertThat(broken.failing()).isNotEmpty();
    assertThat(run.failed()).containsAll(broken.failing());
  }

  @Test
  void no_two_broken_storages_share_a_name() {
    assertThat(ALL).extracting(BrokenAdapter::sentence).doesNotHaveDuplicates();
  }

  /** Run by the cases above only: its name fits no pattern of the build. */
  @ExtendWith(Broken.Resolver.class)
  static final class Suite extends StorageConformanceSuite {
    private final Broken broken;

    Suite(Broken broken) {
      this.broken = broken;
    }

    @Override
    protected StorageFixture fixture(Vertx vertx) {
      return new MemoryStorageFixture(broken.of(ALL));
    }
  }
}
