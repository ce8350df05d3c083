package dev.runlane.cli.command;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import io.vertx.core.Vertx;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that works on a database. It waits for each of its answers for a bounded time. */
@Command(
    exitCodeList = {
      "0:done",
      "1:it could not be done; one line says why, with its code",
      "2:the command line cannot be used",
      "4:what was named does not exist",
      "5:the database cannot be reached",
      "130:Ctrl-C"
    })
public abstract class DatabaseCommand extends VertxCommand {
  @Mixin
  private DatabaseOptions database = new DatabaseOptions();

  @Option(names = "--json", description = "Prints JSON, for programs.")
  private boolean json;

  @Option(
      names = "--answer-within",
      paramLabel = "TIME",
      description = "How long the database may take for an answer. Default: ${DEFAULT-VALUE}.")
  private String answerWithin = "60s";

  protected DatabaseCommand(OperatorConsole console) {
    super(console);
  }

  /** What the command's options mean, checked before anything is opened. */
  public interface Begun {
    /** Does it. Returns how it ended. */
    OperatorExit in(Vertx vertx, DatabaseOptions.Settings settings);
  }

  /** Checks the options. Throws {@link UsageException}. */
  protected abstract Begun begin();

  @Override
  protected final Prepared prepare() {
    waitWithin(TimeText.positive("--answer-within", answerWithin));
    Begun begun = begin();
    DatabaseOptions.Settings settings = database.settings(console().variables());
    return new Prepared() {
      @Override
      public OperatorExit in(Vertx vertx) {
        return begun.in(vertx, settings);
      }

      @Override
      public String withoutSecrets(String text) {
        return settings.withoutAddress(text);
      }
    };
  }

  protected final boolean isJson() {
    return json;
  }
}
