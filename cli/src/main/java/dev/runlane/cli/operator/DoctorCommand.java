package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.DatabaseCommand;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.doctor.Doctor;
import dev.runlane.cli.doctor.Finding;
import dev.runlane.cli.doctor.Finding.Severity;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Terminal;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code runlane doctor}. */
@Command(
    name = "doctor",
    header = "Looks for what is wrong with the database of the runs, and says what mends it.",
    description =
        "Changes nothing, and runs where other commands refuse: on a schema that lacks migrations too."
            + " A check that takes longer than --answer-within, or waits for a lock, is told as such.",
    exitCodeList = {
      "0:nothing was found that wants attention",
      "1:it could not be looked at; one line says why, with its code",
      "2:the command line cannot be used",
      "5:the database cannot be reached",
      "6:errors or warnings were found",
      "130:Ctrl-C"
    })
final class DoctorCommand extends DatabaseCommand {
  private static final int LABEL = 9;

  /** Each check is bounded by itself. */
  private static final Duration ALL_CHECKS = Duration.ofDays(1);

  @Option(
      names = "--long-transaction",
      paramLabel = "TIME",
      description = "How long a transaction may be open unmentioned. Default: ${DEFAULT-VALUE}.")
  private String longTransaction = "5m";

  DoctorCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Begun begin() {
    Duration longest = TimeText.duration("--long-transaction", longTransaction);
    return (vertx, settings) -> {
      Doctor doctor =
          new Doctor(vertx, settings, longest, console().patience(), console().clock());
      Doctor.Report report = console().await(doctor.examine(), ALL_CHECKS);
      if (isJson()) {
        printJson(report, settings);
      } else {
        print(report, settings);
        printScope(report, settings);
      }
      return report.all().stream().anyMatch(finding -> finding.severity() != Severity.NOTE)
          ? OperatorExit.FINDINGS
          : OperatorExit.DONE;
    };
  }

  private void print(Doctor.Report report, DatabaseOptions.Settings settings) {
    report.findings().forEach((check, findings) -> {
      if (findings.isEmpty()) {
        console().out().println(console().terminal().styled(Style.GOOD, label("ok")) + check);
      }
      findings.forEach(this::print);
    });
    long errors = count(report.all(), Severity.ERROR);
    long warnings = count(report.all(), Severity.WARNING);
    console()
        .out()
        .println(PlainText.oneLine(report.findings().size() + " checks of environment "
            + settings.environment() + " in schema " + settings.schema() + ": " + errors
            + (errors == 1 ? " error, " : " errors, ") + warnings
            + (warnings == 1 ? " warning" : " warnings")));
  }

  /**
   * The commands of the mends name neither database, schema nor environment: where what was looked at is not what they
   * would act on, says how they do.
   */
  private void printScope(Doctor.Report report, DatabaseOptions.Settings settings) {
    List<String> means = new ArrayList<>();
    if (isSet("RUNLANE_URL")) {
      means.add("unset RUNLANE_URL");
    }
    if (!settings.isScopeOf(console().variables())) {
      means.add("export RUNLANE_SCHEMA=" + PlainText.shellWord(settings.schema())
          + " RUNLANE_ENVIRONMENT=" + PlainText.shellWord(settings.environment()));
    }
    String address =
        isAddressGiven() ? ", with the same --database or --database-file" + named() : "";
    if (report.all().isEmpty() || (means.isEmpty() && address.isEmpty())) {
      return;
    }
    console()
        .out()
        .println("These commands act on the same runs"
            + (means.isEmpty() ? "" : " after: " + String.join("; ", means)) + address);
  }

  /** What the commands would go by else. */
  private String named() {
    return Stream.of("RUNLANE_DATABASE", "RUNLANE_DATABASE_FILE")
        .filter(this::isSet)
        .findFirst()
        .map(variable -> "; without it on those of " + variable)
        .orElse("");
  }

  private boolean isSet(String variable) {
    return !console().variables().getOrDefault(variable, "").isBlank();
  }

  private void print(Finding finding) {
    PrintStream out = console().out();
    Terminal terminal = console().terminal();
    Style style = finding.severity() == Severity.ERROR ? Style.BAD : Style.WARNING;
    out.println(terminal.styled(style, label(finding.severity().value())) + finding.check() + ": "
        + PlainText.oneLine(finding.text()));
    out.println(" ".repeat(LABEL) + PlainText.oneLine(finding.meaning()));
    out.println(" ".repeat(LABEL)
        + terminal.styled(Style.BOLD, "mend: ")
        + PlainText.oneLine(finding.mend()));
  }

  private static String label(String text) {
    return text + " ".repeat(LABEL - text.length());
  }

  private static long count(List<Finding> findings, Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }

  private void printJson(Doctor.Report report, DatabaseOptions.Settings settings) {
    ObjectNode answer = JsonAnswers.object()
        .put("schema", settings.schema())
        .put("environment", settings.environment())
        .put("addressGivenByOption", isAddressGiven());
    ArrayNode checks = answer.putArray("checks");
    report.findings().keySet().forEach(checks::add);
    ArrayNode findings = answer.putArray("findings");
    report.all().forEach(finding -> findings
        .addObject()
        .put("check", finding.check())
        .put("severity", finding.severity().value())
        .put("text", finding.text())
        .put("meaning", finding.meaning())
        .put("mend", finding.mend()));
    console().out().println(answer);
  }
}
