package dev.runlane.conformance;

import org.junit.jupiter.api.Nested;

/** Every step transport. */
public abstract class StepTransportConformanceSuite extends ConformanceSuite<StepTransportFixture> {
  @Nested
  class StepDispatch extends StepDispatchConformance {}

  @Nested
  class StepClaims extends StepClaimConformance {}

  @Nested
  class StepLeases extends StepLeaseConformance {}

  @Nested
  class StepRecords extends StepRecordConformance {}

  @Nested
  class StepSettlements extends StepSettleConformance {}

  @Nested
  class StepDelivery extends StepDeliveryConformance {}
}
