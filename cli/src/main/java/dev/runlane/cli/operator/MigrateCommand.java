package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.DatabaseCommand;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.SchemaModule;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.NoBlankNames;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.UnsettledIndexes;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code runlane migrate}. */
@Command(
    name = "migrate",
    header = "Brings the tables to this release.",
    description =
        "Takes the module of runs, and those whose tables the schema has, unless --module names some."
            + " Processes may be at work meanwhile. Indexes that those of the release before still follow are"
            + " named and stay, until it is run again after the last of them.",
    exitCodeList = {
      "0:done; with --plan: nothing is missing",
      "1:it could not be done; one line says why, with its code",
      "2:the command line cannot be used",
      "5:the database cannot be reached",
      "6:with --plan: migrations or indexes are missing",
      "130:Ctrl-C; a migration is undone or done, never half; an index that was being made may be left"
          + " invalid, and is made anew by the next --apply or by a process"
    },
    footer = {"Example:", "  runlane migrate --plan && echo 'nothing to do'"})
final class MigrateCommand extends DatabaseCommand {
  @ArgGroup(multiplicity = "1")
  private Mode mode = new Mode();

  @Option(
      names = "--module",
      split = ",",
      preprocessor = NoBlankNames.class,
      paramLabel = "MODULE",
      description = "runs, jobs, connectors.")
  private List<String> chosen = List.of();

  @Option(
      names = "--apply-within",
      paramLabel = "TIME",
      description = "How long the migrations of a module may take. Default: ${DEFAULT-VALUE}.")
  private String applyWithin = "6h";

  /** One of them is given. */
  private static final class Mode {
    @Option(names = "--plan", description = "Lists what is missing, and changes nothing.")
    private boolean plan;

    @Option(names = "--apply", description = "Applies it.")
    private boolean apply;

    @Option(names = "--sql", description = "Prints it as a script of SQL, and changes nothing.")
    private boolean sql;
  }

  MigrateCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Begun begin() {
    List<String> modules =
        Stream.of(SchemaModule.values()).map(SchemaModule::word).toList();
    for (String name : chosen) {
      if (!modules.contains(name)) {
        throw new UsageException(
            "--module: there is no " + name + "; there are " + String.join(", ", modules));
      }
    }
    if (mode.sql && isJson()) {
      throw new UsageException("--sql prints a script of SQL: without --json");
    }
    Duration longest = TimeText.positive("--apply-within", applyWithin);
    return (vertx, settings) -> {
      Map<Migrator, List<Migrator.Pending>> pending = pending(vertx, settings);
      if (mode.sql) {
        pending.forEach((migrator, missing) -> console().out().print(migrator.script(missing)));
        return OperatorExit.DONE;
      }
      if (mode.apply) {
        return apply(vertx, settings, pending, longest);
      }
      if (mode.plan) {
        return plan(vertx, settings, pending);
      }
      throw new IllegalStateException("one of the three is given");
    };
  }

  private Map<Migrator, List<Migrator.Pending>> pending(
      Vertx vertx, DatabaseOptions.Settings settings) {
    Map<Migrator, List<Migrator.Pending>> pending = new LinkedHashMap<>();
    for (SchemaModule module : SchemaModule.values()) {
      if (isChosen(module)) {
        Migrator migrator = module.migrator(settings.schema());
        List<Migrator.Pending> missing =
            console().await(migrator.pending(vertx, settings.connect()));
        if (module.isUsed(migrator, missing) || chosen.contains(module.word())) {
          pending.put(migrator, missing);
        }
      }
    }
    return pending;
  }

  private boolean isChosen(SchemaModule module) {
    return chosen.isEmpty() || chosen.contains(module.word());
  }

  private OperatorExit plan(
      Vertx vertx,
      DatabaseOptions.Settings settings,
      Map<Migrator, List<Migrator.Pending>> pending) {
    List<Migrator.Pending> all = all(pending);
    UnsettledIndexes unsettled = isChosen(SchemaModule.RUNS)
        ? console()
            .await(PgStorageAdapter.unsettledIndexes(vertx, settings.connect(), settings.schema()))
        : new UnsettledIndexes(List.of(), List.of(), false);
    // Migrations that are missing bring indexes themselves.
    List<String> missing = all.isEmpty() ? unsettled.missing() : List.of();
    List<String> superseded = unsettled.superseded();
    if (isJson()) {
      ObjectNode answer = answer(settings, "pending", all);
      missing.forEach(answer.putArray("missingIndexes")::add);
      superseded.forEach(answer.putArray("supersededIndexes")::add);
      console().out().println(answer);
    } else {
      if (missing.isEmpty()) {
        print(settings, all, "lacks");
      } else {
        tell(settings, "lacks " + named(missing) + ": --apply makes what is missing.");
      }
      if (!superseded.isEmpty()) {
        tell(
            settings,
            "has " + named(superseded)
                + ", which nothing of this release reads: --apply drops what no"
                + " process of the release before follows.");
      }
    }
    return all.isEmpty() && missing.isEmpty() ? OperatorExit.DONE : OperatorExit.FINDINGS;
  }

  /** Each module is waited for, also after Ctrl-C: a migration is not left half way. */
  private OperatorExit apply(
      Vertx vertx,
      DatabaseOptions.Settings settings,
      Map<Migrator, List<Migrator.Pending>> pending,
      Duration longest) {
    List<Migrator.Pending> applied = new ArrayList<>();
    UnsettledIndexes left = null;
    try {
      pending.forEach((migrator, missing) -> {
        console().requireNotInterrupted();
        if (!missing.isEmpty()) {
          console().finish(migrator.migrate(vertx, settings.connect()), longest);
          applied.addAll(missing);
          if (!isJson()) {
            print(settings, missing, "got");
          }
        }
      });
      if (applied.isEmpty() && !isJson()) {
        print(settings, applied, "got");
      }
      if (isChosen(SchemaModule.RUNS)) {
        left = settleIndexes(vertx, settings, longest);
      }
    } finally {
      if (isJson()) {
        printJson(settings, applied, left);
      }
    }
    if (!isJson() && left != null) {
      print(settings, left);
    }
    return OperatorExit.DONE;
  }

  /**
   * What is not made here is made by a process that may, and only what looks for it is slow until then. Returns what is
   * left, null where that is not known.
   */
  private @Nullable UnsettledIndexes settleIndexes(
      Vertx vertx, DatabaseOptions.Settings settings, Duration longest) {
    console().requireNotInterrupted();
    try {
      return console()
          .finish(
              PgStorageAdapter.settleIndexes(vertx, settings.connect(), settings.schema()),
              longest);
    } catch (RunlaneException failure) {
      console()
          .err()
          .println(
              "runlane: the migrations are applied, but indexes that they leave out are not made: "
                  + PlainText.oneLine(String.valueOf(failure.getMessage())));
      return null;
    }
  }

  private static List<Migrator.Pending> all(Map<Migrator, List<Migrator.Pending>> pending) {
    return pending.values().stream().flatMap(List::stream).toList();
  }

  private void print(
      DatabaseOptions.Settings settings, List<Migrator.Pending> migrations, String verb) {
    if (migrations.isEmpty()) {
      tell(settings, "lacks nothing.");
    }
    migrations.forEach(each -> tell(
        settings,
        verb + " migration " + each.version() + " (" + each.name() + ") of " + each.module()));
  }

  private void print(DatabaseOptions.Settings settings, UnsettledIndexes left) {
    if (left.isBusy()) {
      List<String> both =
          Stream.concat(left.missing().stream(), left.superseded().stream()).toList();
      tell(
          settings,
          "has another process that makes and drops indexes at this moment. Left to it: "
              + named(both) + ". Run this again to see what came of it.");
      return;
    }
    if (!left.missing().isEmpty()) {
      tell(
          settings,
          "is still without " + named(left.missing())
              + ": somebody else makes an index of the same table, or vacuums it. Run this again after that.");
    }
    if (!left.superseded().isEmpty()) {
      tell(
          settings,
          "keeps " + named(left.superseded())
              + ", which nothing of this release reads, until the processes of the release before are gone. Run"
              + " this again a minute after the last of them.");
    }
  }

  private static String named(List<String> indexes) {
    return (indexes.size() == 1 ? "index " : "indexes ") + String.join(", ", indexes);
  }

  private void tell(DatabaseOptions.Settings settings, String what) {
    console().out().println("Schema " + settings.schema() + " " + what);
  }

  private void printJson(
      DatabaseOptions.Settings settings,
      List<Migrator.Pending> applied,
      @Nullable UnsettledIndexes left) {
    ObjectNode answer = answer(settings, "applied", applied);
    if (left != null) {
      left.missing().forEach(answer.putArray("missingIndexes")::add);
      left.superseded().forEach(answer.putArray("supersededIndexes")::add);
    }
    console().out().println(answer);
  }

  private static ObjectNode answer(
      DatabaseOptions.Settings settings, String field, List<Migrator.Pending> migrations) {
    ObjectNode answer = JsonAnswers.object().put("schema", settings.schema());
    ArrayNode data = answer.putArray(field);
    migrations.forEach(each -> data.addObject()
        .put("module", each.module())
        .put("version", each.version())
        .put("name", each.name()));
    return answer;
  }
}
