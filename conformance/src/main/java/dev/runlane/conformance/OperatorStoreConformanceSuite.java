package dev.runlane.conformance;

import dev.runlane.conformance.drawn.storage.OperatorModelConformance;
import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.operator.ActionLogConformance;
import dev.runlane.conformance.operator.AlertConformance;
import dev.runlane.conformance.operator.DepthConformance;
import dev.runlane.conformance.operator.DocumentConformance;
import dev.runlane.conformance.operator.LogLineConformance;
import dev.runlane.conformance.operator.OccupiedConformance;
import dev.runlane.conformance.operator.OperatorAmountConformance;
import dev.runlane.conformance.operator.OutboxDeskConformance;
import dev.runlane.conformance.operator.ProcessConformance;
import dev.runlane.conformance.operator.QueuePauseConformance;
import dev.runlane.conformance.operator.ResumedRunConformance;
import dev.runlane.conformance.operator.RunCountConformance;
import dev.runlane.conformance.operator.SchedulePauseConformance;
import dev.runlane.conformance.operator.TagConformance;
import dev.runlane.conformance.operator.TaskConformance;
import dev.runlane.conformance.operator.ThroughputConformance;
import dev.runlane.conformance.operator.WebhookConformance;
import org.junit.jupiter.api.Nested;

/** What a storage whose {@code operator()} is present keeps for operators. */
public abstract class OperatorStoreConformanceSuite extends ConformanceSuite<StorageFixture> {
  @Nested
  class Processes extends ProcessConformance {}

  @Nested
  class Tasks extends TaskConformance {}

  @Nested
  class OutboxDesk extends OutboxDeskConformance {}

  @Nested
  class QueuePauses extends QueuePauseConformance {}

  @Nested
  class ResumedRuns extends ResumedRunConformance {}

  @Nested
  class SchedulePauses extends SchedulePauseConformance {}

  @Nested
  class Tags extends TagConformance {}

  @Nested
  class RunCounts extends RunCountConformance {}

  @Nested
  class Webhooks extends WebhookConformance {}

  @Nested
  class Depths extends DepthConformance {}

  @Nested
  class LogLines extends LogLineConformance {}

  @Nested
  class Throughput extends ThroughputConformance {}

  @Nested
  class ActionLog extends ActionLogConformance {}

  @Nested
  class Documents extends DocumentConformance {}

  @Nested
  class Occupied extends OccupiedConformance {}

  @Nested
  class Alerts extends AlertConformance {}

  @Nested
  class Amounts extends OperatorAmountConformance {}

  @Nested
  class Model extends OperatorModelConformance {}
}
