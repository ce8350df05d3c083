package dev.runlane.cli.application;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.VertxCommand;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneApplication;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command with the runtime of a user's program. */
abstract class ApplicationCommand extends VertxCommand {
  /** How long a program may take until its runtime is made or started, migrations included. */
  private static final Duration LONGEST_START = Duration.ofMinutes(10);

  /** What a close may take beyond its timeout, 2 s of its own included. */
  private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);

  @Option(names = "--url", hidden = true)
  private @Nullable String url;

  /** A test waits less. */
  Duration longestStart = LONGEST_START;

  /** A test waits less. */
  Duration closeGrace = CLOSE_GRACE;

  ApplicationCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected final Prepared prepare() {
    if (url != null) {
      throw new UsageException("this runs a program here, so not over --url");
    }
    return prepareHere();
  }

  /** Checks the options, before anything is opened. Throws {@link UsageException}. */
  abstract Prepared prepareHere();

  @Override
  protected final int eventLoops() {
    return 2 * Runtime.getRuntime().availableProcessors();
  }

  @Override
  protected final boolean readsResources() {
    return true;
  }

  /** The work, whose failures are told without the address of the database. */
  final Prepared hiding(DatabaseOptions database, Prepared work) {
    if (!database.isGiven(console().variables())) {
      return work;
    }
    DatabaseOptions.Settings settings = database.settings(console().variables());
    return new Prepared() {
      @Override
      public OperatorExit in(Vertx vertx) {
        return work.in(vertx);
      }

      @Override
      public String withoutSecrets(String text) {
        return settings.withoutAddress(text);
      }
    };
  }

  /** Works with the runtime of the application; closes both. */
  final OperatorExit with(
      ApplicationClassPath classPath,
      Vertx vertx,
      ApplicationSettings settings,
      Function<Runlane, OperatorExit> work) {
    try (classPath) {
      return with(made(classPath.application(), vertx, settings), work);
    } catch (IOException unclosed) {
      throw new UncheckedIOException(unclosed);
    }
  }

  /**
   * Works with a runtime; closes it, within its own close timeout. A handler that blocks its event loop, or ends the
   * JVM on it, keeps the close from being told.
   */
  final OperatorExit with(Runlane runlane, Function<Runlane, OperatorExit> work) {
    try {
      return work.apply(runlane);
    } finally {
      console().interruption().waitForEnd();
      console().close("the runtime", runlane.close(), runlane.closeTimeout().plus(closeGrace));
    }
  }

  private Runlane made(RunlaneApplication application, Vertx vertx, ApplicationSettings settings) {
    String name = application.getClass().getName();
    Runlane runlane = await(Future.<Void>succeededFuture()
        .compose(begin -> application.runtime(vertx, settings))
        .recover(failure -> Future.failedFuture(
            failure instanceof RunlaneException
                ? failure
                : RunlaneException.configurationInvalid("%s made no runtime: %s", name, failure)
                    .causedBy(failure))));
    if (runlane == null) {
      throw RunlaneException.configurationInvalid("%s made no runtime, but null", name);
    }
    return runlane;
  }

  /** Waits for what a start may take. */
  final <T> T await(Future<T> future) {
    return console().await(future, longestStart);
  }

  /** Until Ctrl-C. What it started is closed by the caller, who says when that is done. */
  final OperatorExit untilInterrupted() {
    console().out().println("Ctrl-C ends it");
    console().out().flush();
    console().interruption().requested().join();
    return OperatorExit.INTERRUPTED;
  }
}
