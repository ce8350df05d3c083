package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.storage.schedule.KnownScheduleConformance;
import dev.runlane.conformance.storage.schedule.OccurrencePruneConformance;
import dev.runlane.conformance.storage.schedule.OccurrenceViewConformance;
import org.junit.jupiter.api.Nested;

/** What a storage whose {@code schedules()} is present remembers of schedules. */
public abstract class ScheduleStorageConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class KnownSchedules extends KnownScheduleConformance {}

  @Nested
  class Occurrences extends OccurrenceViewConformance {}

  @Nested
  class Pruning extends OccurrencePruneConformance {}
}
