package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** The 22 methods of a storage that reports every capability but, perhaps, durable or shared state. */
public abstract class StorageConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class Append extends AppendConformance {}

  @Nested
  class Sequence extends SequenceConformance {}

  @Nested
  class Consistency extends ConsistencyConformance {}

  @Nested
  class LeaseClaim extends LeaseClaimConformance {}

  @Nested
  class Heartbeat extends HeartbeatConformance {}

  @Nested
  class LeaseRelease extends LeaseReleaseConformance {}

  @Nested
  class QueueCapacity extends QueueCapacityConformance {}

  @Nested
  class DispatchReservation extends DispatchReservationConformance {}

  @Nested
  class FirstLease extends FirstLeaseConformance {}

  @Nested
  class Idempotency extends IdempotencyConformance {}

  @Nested
  class IdempotencyReset extends IdempotencyResetConformance {}

  @Nested
  class Singleton extends SingletonConformance {}

  @Nested
  class Schedule extends ScheduleConformance {}

  @Nested
  class OutboxClaim extends OutboxClaimConformance {}

  @Nested
  class OutboxMark extends OutboxMarkConformance {}

  @Nested
  class OutboxAtBirth extends OutboxAtBirthConformance {}

  @Nested
  class RunnableScan extends RunnableScanConformance {}

  @Nested
  class DeliveryScan extends DeliveryScanConformance {}

  @Nested
  class DispatchScan extends DispatchScanConformance {}

  @Nested
  class CancellationScan extends CancellationScanConformance {}

  @Nested
  class RunRead extends RunReadConformance {}

  @Nested
  class RunList extends RunListConformance {}

  @Nested
  class Cursor extends CursorConformance {}

  @Nested
  class EventList extends EventListConformance {}

  @Nested
  class EventOrder extends EventOrderConformance {}

  @Nested
  class StoredValue extends StoredValueConformance {}

  @Nested
  class StepHistory extends StepHistoryConformance {}

  @Nested
  class Validation extends ValidationConformance {}

  @Nested
  class Prune extends PruneConformance {}

  @Nested
  class State extends StateConformance {}
}
