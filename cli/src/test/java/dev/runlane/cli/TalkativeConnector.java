package dev.runlane.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connectorkit.Connector;
import dev.runlane.connectorkit.ConnectorRun;
import dev.runlane.connectorkit.message.Assistance;
import dev.runlane.connectorkit.message.ConnectorRecord;
import dev.runlane.connectorkit.message.DetailCoverage;
import dev.runlane.connectorkit.message.DetailGap;
import dev.runlane.connectorkit.message.Interaction;
import dev.runlane.connectorkit.message.Progress;
import dev.runlane.connectorkit.message.RecordKey;
import dev.runlane.connectorkit.message.Skip;
import java.util.List;

/** A connector of the kit that says everything a connector can say, once. */
final class TalkativeConnector {
  private static final RecordKey ONE = RecordKey.of("1");
  private static final RecordKey TWO = RecordKey.of("2");

  private TalkativeConnector() {}

  public static void main(String[] arguments) {
    Connector.run(TalkativeConnector::collect);
  }

  private static void collect(ConnectorRun run) {
    System.out.println("a word that is no message");
    run.progress(Progress.of("items", "Beginning", 0, 2));
    String code = run.ask(Interaction.otp("Code?")).require().required("code");
    run.progress("The code was " + code);
    String help = run.assist(Assistance.elsewhere("Confirm on the phone").about("items"));
    run.assistanceEnded(help, Assistance.End.RESOLVED);
    run.record(ConnectorRecord.of("items", ONE, item("1")));
    run.record(ConnectorRecord.deletion("items", TWO));
    run.detailGap(DetailGap.of("items", TWO, "page_locked").retryable(true).named("g1"));
    run.detailRecovered("items", ONE, "g0");
    run.detailCoverage(DetailCoverage.of("items", "items", List.of(ONE, TWO), List.of(ONE))
        .withGaps(List.of(TWO))
        .counting(2, 1));
    run.state("items", item("cursor"));
    run.skip(Skip.of("items", "page_locked", "Page 6 needs a visit").ofResources(List.of("6")));
  }

  private static ObjectNode item(String id) {
    return JsonNodeFactory.instance.objectNode().put("id", id);
  }
}
