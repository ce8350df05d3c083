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
}
