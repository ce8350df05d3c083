package dev.runlane.conformance;

import dev.runlane.conformance.drawn.jobs.JobModelConformance;
import dev.runlane.conformance.fixture.JobStoreFixture;
import dev.runlane.conformance.jobs.life.JobCancellationConformance;
import dev.runlane.conformance.jobs.life.JobCrudConformance;
import dev.runlane.conformance.jobs.life.JobDeadLetterConformance;
import dev.runlane.conformance.jobs.life.JobDeduplicationConformance;
import dev.runlane.conformance.jobs.life.JobDelayConformance;
import dev.runlane.conformance.jobs.life.JobFetchConformance;
import dev.runlane.conformance.jobs.life.JobFinishConformance;
import dev.runlane.conformance.jobs.life.JobHandOverConformance;
import dev.runlane.conformance.jobs.life.JobLockConformance;
import dev.runlane.conformance.jobs.life.JobPayloadConformance;
import dev.runlane.conformance.jobs.life.JobRaceConformance;
import dev.runlane.conformance.jobs.life.JobRemovalConformance;
import dev.runlane.conformance.jobs.life.JobValidationConformance;
import dev.runlane.conformance.jobs.queue.JobAmountConformance;
import dev.runlane.conformance.jobs.queue.JobFlowConformance;
import dev.runlane.conformance.jobs.queue.JobFlowEndConformance;
import dev.runlane.conformance.jobs.queue.JobGroupConformance;
import dev.runlane.conformance.jobs.queue.JobMaintenanceConformance;
import dev.runlane.conformance.jobs.queue.JobPauseConformance;
import dev.runlane.conformance.jobs.queue.JobQueueConformance;
import dev.runlane.conformance.jobs.queue.JobRateLimitConformance;
import dev.runlane.conformance.jobs.queue.JobSeriesConformance;
import dev.runlane.conformance.jobs.view.JobDashboardConformance;
import dev.runlane.conformance.jobs.view.JobEventConformance;
import dev.runlane.conformance.jobs.view.JobLogConformance;
import dev.runlane.conformance.jobs.view.JobMetricsConformance;
import dev.runlane.conformance.jobs.view.JobSearchConformance;
import dev.runlane.conformance.kit.ConformanceSuite;
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
  class Amounts extends JobAmountConformance {}

  @Nested
  class Races extends JobRaceConformance {}

  @Nested
  class Checks extends JobValidationConformance {}

  @Nested
  class Model extends JobModelConformance {}
}
