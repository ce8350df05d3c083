package dev.runlane.conformance.storage.refuse;

import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.run.ErrorCode.CAPABILITY_UNSUPPORTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.fixture.ReducibleStorageFixture;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.CaseVertx;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.kit.EnclosingSuite;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.kit.RuleNames;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.GetRun;
import io.vertx.core.Future;
import io.vertx.junit5.VertxExtension;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an adapter does not report it refuses, and everything else still works. */
@ExtendWith({VertxExtension.class, EnclosingSuite.class})
@DisplayNameGeneration(RuleNames.class)
@DisplayName("guarding capabilities")
public abstract class CapabilityGuardConformance {
  private static final Set<StorageCapability> NEVER_GUARDING =
      EnumSet.of(StorageCapability.DURABLE_STATE, StorageCapability.PROCESS_LOCAL_STATE);

  private ReducibleStorageFixture fixture;

  /** Takes the fixture; each case opens the adapters it needs. */
  @BeforeEach
  final void takeFixture(ConformanceSuite<?> suite, CaseVertx vertx) {
    fixture = suite.fixture(ReducibleStorageFixture.class, vertx);
  }

  /** Closes all that the case opened. */
  @AfterEach
  final void closeFixture() {
    Outcomes.done(fixture.close());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"DURABLE_STATE", "PROCESS_LOCAL_STATE"})
  @Rule("S95")
  void without_a_capability_all_it_guards_is_refused_and_the_rest_works(StorageCapability missing) {
    Set<StorageCapability> reported = EnumSet.copyOf(fullCapabilities());
    reported.remove(missing);
    StorageAdapter storage = Outcomes.done(fixture.openReporting(reported));

    assertThat(storage.capabilities()).isEqualTo(reported);
    List<CapabilityProbe> probes = CapabilityProbe.of(storage);
    assertThat(probes).anyMatch(probe -> probe.needs().contains(missing));
    probes.forEach(probe -> assertGuarded(storage, probe, reported));
  }

  @Test
  @Rule("S95")
  void without_any_capability_runs_are_still_appended_and_read() {
    Set<StorageCapability> reported = EnumSet.copyOf(fullCapabilities());
    reported.retainAll(NEVER_GUARDING);
    StorageAdapter storage = Outcomes.done(fixture.openReporting(reported));

    CapabilityProbe.of(storage).forEach(probe -> assertGuarded(storage, probe, reported));
    assertThat(Outcomes.done(storage.getRun(new GetRun(Given.ENVIRONMENT, "append"))))
        .isPresent();
  }

  @Test
  @Rule("S95")
  void a_refused_creation_stores_nothing() {
    Set<StorageCapability> reported = EnumSet.copyOf(fullCapabilities());
    reported.retainAll(NEVER_GUARDING);
    StorageAdapter storage = Outcomes.done(fixture.openReporting(reported));
    TestRun refused = TestRuns.queued("run_1").idempotencyKey("key", Given.TTL_HOUR);

    assertFails(storage.appendRunEvents(refused.creation()), CAPABILITY_UNSUPPORTED);

    assertThat(Outcomes.done(storage.getRun(new GetRun(Given.ENVIRONMENT, "run_1"))))
        .isEmpty();
    Outcomes.done(TestRuns.queued("run_1").storeIn(storage));
  }

  @Test
  @Rule("S95")
  void with_every_capability_everything_works() {
    StorageAdapter storage = Outcomes.done(fixture.open());

    CapabilityProbe.of(storage)
        .forEach(probe -> assertGuarded(storage, probe, storage.capabilities()));
  }

  private Set<StorageCapability> fullCapabilities() {
    return Outcomes.done(fixture.open()).capabilities();
  }

  private static void assertGuarded(
      StorageAdapter storage, CapabilityProbe probe, Set<StorageCapability> reported) {
    try {
      Future<?> used = probe.use().on(storage);
      if (reported.containsAll(probe.needs())) {
        Outcomes.done(used);
      } else {
        assertFails(used, CAPABILITY_UNSUPPORTED);
      }
    } catch (AssertionError broken) {
      throw new AssertionError(
          "%s, with %s reported: %s".formatted(probe.name(), reported, broken.getMessage()),
          broken);
    } catch (RuntimeException thrown) {
      throw new AssertionError(probe.name() + " threw instead of failing its future", thrown);
    }
  }
}
