package dev.runlane.cli.operator;

import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.PageOptions;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.TagOptions;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code runlane runs list}. */
@Command(
    name = "list",
    header = "Lists runs, the newest first.",
    footer = {
      "Examples:",
      "  runlane runs list --status failed --task charge --since 1d",
      "  runlane runs list --tag customer:acme"
    })
final class RunsListCommand extends OperatorCommand {
  private static final int TAGS_OF = 1_000; // runs in one call

  @Mixin
  private RunFilterOptions filter = new RunFilterOptions();

  @Mixin
  private TagOptions tags = new TagOptions();

  @Mixin
  private PageOptions pages = new PageOptions();

  RunsListCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    Instant now = console().clock().now();
    Instant askedAt = filter.isRelative() ? pages.askedAt(now) : now;
    RunFilter wanted = filter.filter(askedAt);
    Map<String, String> tagged = tags.tags();
    pages.check();
    return operations -> {
      PageOptions.Pages<RunSummary> listed = (limit, from) -> tagged.isEmpty()
          ? operations.listRuns(wanted, limit, from)
          : operations.listTagged(tagged, wanted, limit, from);
      Page<RunSummary> page = filter.isRelative()
          ? pages.readAskedAt(askedAt, console(), listed)
          : pages.read(console(), listed);
      if (isJson()) {
        Map<String, Map<String, String>> known =
            tagsOf(operations, page.data().stream().map(RunSummary::id).toList());
        console()
            .out()
            .println(JsonAnswers.page(
                page,
                run -> JsonAnswers.tagged(
                    JsonAnswers.summary(run), known.getOrDefault(run.id(), Map.of()))));
      } else if (page.data().isEmpty()) {
        console().err().println("No run fits.");
      } else {
        RunText.list(page.data(), now).print(console().out(), console().terminal());
        PageOptions.printMore(console(), page);
      }
      return OperatorExit.DONE;
    };
  }

  private Map<String, Map<String, String>> tagsOf(Operations operations, List<String> runIds) {
    Map<String, Map<String, String>> known = new HashMap<>();
    for (int from = 0; from < runIds.size(); from += TAGS_OF) {
      known.putAll(console()
          .await(operations.tags(runIds.subList(from, Math.min(from + TAGS_OF, runIds.size())))));
    }
    return known;
  }
}
