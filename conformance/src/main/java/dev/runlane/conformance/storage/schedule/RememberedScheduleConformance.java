package dev.runlane.conformance.storage.schedule;

import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.storage.schedule.ScheduleStorage;
import org.junit.jupiter.api.BeforeEach;

/** What cases of storages that remember schedules have in common. */
public abstract class RememberedScheduleConformance extends StorageConformance {
  /** The capability of the adapter under test. */
  protected ScheduleStorage schedules;

  /** Takes the capability. */
  @BeforeEach
  final void openSchedules() {
    schedules = storage
        .schedules()
        .orElseThrow(() -> new AssertionError("the storage remembers no schedules"));
  }
}
