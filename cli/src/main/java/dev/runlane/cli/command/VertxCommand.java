package dev.runlane.cli.command;

import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.run.InterruptedBefore;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** A command with a Vert.x of its own. It checks options first, and tells every failure in one line with its code. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    footerHeading = "%n")
public abstract class VertxCommand implements Callable<Integer> {
  /** In the meta of a failure that an API tells: what its log names the request by. */
  private static final String REQUEST_ID = "requestId";

  private OperatorConsole console;

  protected VertxCommand(OperatorConsole console) {
    this.console = console;
  }

  /** A command whose options have been checked. */
  protected interface Prepared {
    /** Does it. Returns how it ended. */
    OperatorExit in(Vertx vertx);

    /** The text of a failure without what must not be shown. */
    default String withoutSecrets(String text) {
      return text;
    }
  }

  /** Checks the options, before anything is opened. Throws {@link UsageException}. */
  protected abstract Prepared prepare();

  /** How many event loops it needs. */
  protected int eventLoops() {
    return 1;
  }

  /** Whether resources of a class path are read through Vert.x. */
  protected boolean readsResources() {
    return false;
  }

  @Override
  public final Integer call() {
    Prepared prepared = prepare();
    if (console.interruption().isAsked()) {
      throw new InterruptedBefore();
    }
    // Without the cache of files, whose shutdown hook a JVM that is ending refuses.
    Vertx vertx = Vertx.vertx(new VertxOptions()
        .setEventLoopPoolSize(eventLoops())
        .setFileSystemOptions(new FileSystemOptions()
            .setFileCachingEnabled(false)
            .setClassPathResolvingEnabled(readsResources())));
    try {
      return prepared.in(vertx).value();
    } catch (OperatorConsole.Interrupted interrupted) {
      console.err().println("runlane: interrupted");
      return OperatorExit.INTERRUPTED.value();
    } catch (OperatorConsole.Unwritten unwritten) {
      return OperatorExit.FAILED.value(); // the program says why
    } catch (RunlaneException failure) {
      return failed(prepared, failure).value();
    } finally {
      console.close("Vert.x", vertx.close());
    }
  }

  /** Tells a failure in one line. Returns how the command ends by it. */
  private OperatorExit failed(Prepared prepared, RunlaneException failure) {
    String text = prepared.withoutSecrets(String.valueOf(failure.getMessage()));
    String request = failure.meta().get(REQUEST_ID);
    console
        .err()
        .println("runlane: "
            + PlainText.oneLine(text + " (" + failure.code().value()
                + (request == null ? ")" : ", request " + request + ")")));
    return switch (failure.code()) {
      case STORAGE_UNAVAILABLE, TRANSPORT_UNAVAILABLE -> OperatorExit.UNREACHABLE;
      case RUN_NOT_FOUND, JOB_NOT_FOUND, TASK_NOT_FOUND, SCHEDULE_NOT_FOUND ->
        OperatorExit.NOT_FOUND;
      default -> OperatorExit.FAILED;
    };
  }

  protected final OperatorConsole console() {
    return console;
  }

  /** Sets how long the database may take for an answer. */
  protected final void waitWithin(Duration patience) {
    console = console.within(patience);
  }
}
