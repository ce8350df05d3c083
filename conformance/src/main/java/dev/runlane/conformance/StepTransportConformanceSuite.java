package dev.runlane.conformance;

import dev.runlane.conformance.fixture.StepTransportFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.steps.StepClaimConformance;
import dev.runlane.conformance.steps.StepDeliveryConformance;
import dev.runlane.conformance.steps.StepDispatchConformance;
import dev.runlane.conformance.steps.StepLeaseConformance;
import dev.runlane.conformance.steps.StepModelConformance;
import dev.runlane.conformance.steps.StepModelRaceConformance;
import dev.runlane.conformance.steps.StepRecordConformance;
import dev.runlane.conformance.steps.StepSettleConformance;
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

  @Nested
  class StepModel extends StepModelConformance {}

  @Nested
  class StepModelRaces extends StepModelRaceConformance {}
}
