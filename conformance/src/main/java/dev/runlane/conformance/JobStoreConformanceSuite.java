package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** Every job store. */
public abstract class JobStoreConformanceSuite extends ConformanceSuite<JobStoreFixture> {
  @Nested
  class Jobs extends JobCrudConformance {}

  @Nested
  class Payloads extends JobPayloadConformance {}

  @Nested
  class Fetch extends JobFetchConformance {}

  @Nested
  class Delay extends JobDelayConformance {}

  @Nested
  class Pause extends JobPauseConformance {}

  @Nested
  class Deduplication extends JobDeduplicationConformance {}

  @Nested
  class Maintenance extends JobMaintenanceConformance {}

  @Nested
  class Events extends JobEventConformance {}

  @Nested
  class Flows extends JobFlowConformance {}

  @Nested
  class Groups extends JobGroupConformance {}

  @Nested
  class QueueWide extends JobQueueConformance {}

  @Nested
  class RateLimit extends JobRateLimitConformance {}

  @Nested
  class Dashboard extends JobDashboardConformance {}

  @Nested
  class Search extends JobSearchConformance {}

  @Nested
  class Metrics extends JobMetricsConformance {}

  @Nested
  class Locks extends JobLockConformance {}

  @Nested
  class Finish extends JobFinishConformance {}

  @Nested
  class HandOver extends JobHandOverConformance {}

  @Nested
  class FlowEnds extends JobFlowEndConformance {}

  @Nested
  class Series extends JobSeriesConformance {}

  @Nested
  class Removal extends JobRemovalConformance {}

  @Nested
  class DeadLetters extends JobDeadLetterConformance {}

  @Nested
  class Cancellation extends JobCancellationConformance {}

  @Nested
  class Logs extends JobLogConformance {}

  @Nested
  class Races extends JobRaceConformance {}

  @Nested
  class Checks extends JobValidationConformance {}
}
