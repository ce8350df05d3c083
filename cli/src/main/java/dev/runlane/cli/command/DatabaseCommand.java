package dev.runlane.cli.command;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.run.InterruptedBefore;
import dev.runlane.cli.run.Waiting;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that works on a database. It tells every failure in one line with its code, and checks options first. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    footerHeading = "%n",
    exitCodeList = {
      "0:done",
      "1:it could not be done; one line says why, with its code",
      "2:the command line cannot be used",
      "4:what was named does not exist",
      "5:the database cannot be reached",
      "130:Ctrl-C"
    })
public abstract class DatabaseCommand implements Callable<Integer> {
  private final OperatorConsole console;

  @Mixin
  private DatabaseOptions database = new DatabaseOptions();

  @Option(names = "--json", description = "Prints JSON, for programs.")
  private boolean json;

  protected DatabaseCommand(OperatorConsole console) {
    this.console = console;
  }

  /** What the command's options mean, checked before anything is opened. */
  public interface Begun {
    /** Does it. Returns how it ended. */
    OperatorExit in(Vertx vertx, DatabaseOptions.Settings settings);
  }

  /** Checks the options. Throws {@link UsageException}. */
  protected abstract Begun begin();

  @Override
  public final Integer call() {
    Begun begun = begin();
    DatabaseOptions.Settings settings = database.settings(console.variables());
    if (console.interruption().isAsked()) {
      throw new InterruptedBefore();
    }
    Vertx vertx = Vertx.vertx(new VertxOptions()
        .setEventLoopPoolSize(1)
        .setFileSystemOptions(new FileSystemOptions()
            .setFileCachingEnabled(false)
            .setClassPathResolvingEnabled(false)));
    try {
      return begun.in(vertx, settings).value();
    } catch (RuntimeException failure) {
      return failed(console, failure, settings).value();
    } finally {
      Waiting.on(vertx.close());
    }
  }

  /** Tells a failure in one line, without the address. Returns how the command ends by it. */
  private static OperatorExit failed(
      OperatorConsole console, RuntimeException failure, DatabaseOptions.Settings settings) {
    if (failure instanceof OperatorConsole.Interrupted) {
      console.err().println("runlane: interrupted");
      return OperatorExit.INTERRUPTED;
    }
    if (failure instanceof RunlaneException refused) {
      console
          .err()
          .println("runlane: "
              + PlainText.oneLine(settings.withoutAddress(String.valueOf(refused.getMessage())))
              + " (" + refused.code().value() + ")");
      return switch (refused.code()) {
        case STORAGE_UNAVAILABLE -> OperatorExit.UNREACHABLE;
        case RUN_NOT_FOUND, JOB_NOT_FOUND, TASK_NOT_FOUND, SCHEDULE_NOT_FOUND ->
          OperatorExit.NOT_FOUND;
        default -> OperatorExit.FAILED;
      };
    }
    throw failure;
  }

  protected final OperatorConsole console() {
    return console;
  }

  protected final boolean isJson() {
    return json;
  }
}
