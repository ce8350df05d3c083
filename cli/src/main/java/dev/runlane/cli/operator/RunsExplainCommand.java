package dev.runlane.cli.operator;

import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.runtime.operate.RunExplanation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code runlane runs explain}. */
@Command(name = "explain", header = "Says why a run is where it is.")
final class RunsExplainCommand extends OperatorCommand {
  @Parameters(paramLabel = "RUN", description = "The id of the run.")
  private String runId = "";

  RunsExplainCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    return operations -> {
      RunExplanation explanation = console().await(operations.explain(runId));
      if (isJson()) {
        console().out().println(JsonAnswers.explanation(explanation));
      } else {
        print(explanation);
      }
      return OperatorExit.DONE;
    };
  }

  private void print(RunExplanation explanation) {
    String status = console()
        .terminal()
        .styled(
            RunText.status(explanation.run().status()).style(),
            explanation.run().status().value());
    console()
        .out()
        .println("Run " + explanation.run().id() + " of task "
            + PlainText.oneLine(explanation.run().taskId()) + " in queue "
            + PlainText.oneLine(explanation.run().queue()) + " is " + status + ".");
    explanation.reasons().forEach(reason -> console()
        .out()
        .println("  " + PlainText.oneLine(reason.text()) + " "
            + console().terminal().styled(Style.DIM, "[" + reason.code().value() + "]")));
  }
}
