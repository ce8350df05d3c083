package dev.runlane.conformance;

import dev.runlane.conformance.drawn.storage.ModelConformance;
import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.race.RaceConformance;
import dev.runlane.conformance.storage.lease.DispatchReservationConformance;
import dev.runlane.conformance.storage.lease.FirstLeaseConformance;
import dev.runlane.conformance.storage.lease.HeartbeatConformance;
import dev.runlane.conformance.storage.lease.LeaseClaimConformance;
import dev.runlane.conformance.storage.lease.LeaseReleaseConformance;
import dev.runlane.conformance.storage.lease.QueueAmountConformance;
import dev.runlane.conformance.storage.lease.QueueCapacityConformance;
import dev.runlane.conformance.storage.outbox.OutboxAtBirthConformance;
import dev.runlane.conformance.storage.outbox.OutboxClaimConformance;
import dev.runlane.conformance.storage.outbox.OutboxMarkConformance;
import dev.runlane.conformance.storage.read.CancellationScanConformance;
import dev.runlane.conformance.storage.read.CursorConformance;
import dev.runlane.conformance.storage.read.DeliveryScanConformance;
import dev.runlane.conformance.storage.read.DispatchScanConformance;
import dev.runlane.conformance.storage.read.EqualInstantConformance;
import dev.runlane.conformance.storage.read.EventListConformance;
import dev.runlane.conformance.storage.read.RunListConformance;
import dev.runlane.conformance.storage.read.RunReadConformance;
import dev.runlane.conformance.storage.read.RunnableScanConformance;
import dev.runlane.conformance.storage.refuse.ValidationConformance;
import dev.runlane.conformance.storage.run.AppendConformance;
import dev.runlane.conformance.storage.run.ConsistencyConformance;
import dev.runlane.conformance.storage.run.EventOrderConformance;
import dev.runlane.conformance.storage.run.IdempotencyConformance;
import dev.runlane.conformance.storage.run.IdempotencyResetConformance;
import dev.runlane.conformance.storage.run.PruneConformance;
import dev.runlane.conformance.storage.run.SequenceConformance;
import dev.runlane.conformance.storage.run.SingletonConformance;
import dev.runlane.conformance.storage.run.StateConformance;
import dev.runlane.conformance.storage.run.StoredValueConformance;
import dev.runlane.conformance.storage.schedule.ScheduleConformance;
import dev.runlane.conformance.storage.step.StepHistoryConformance;
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
  class QueueAmounts extends QueueAmountConformance {}

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
  class EqualInstants extends EqualInstantConformance {}

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

  @Nested
  class Model extends ModelConformance {}

  @Nested
  class Races extends RaceConformance {}
}
