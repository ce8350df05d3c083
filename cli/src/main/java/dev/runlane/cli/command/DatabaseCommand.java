package dev.runlane.cli.command;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.cli.option.RemoteOptions;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.client.ApiClient;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A command that works on a database or, where it can, through the API of a console. It waits for each answer for a
 * bounded time.
 */
@Command(
    exitCodeList = {
      "0:done",
      "1:it could not be done; one line says why, with its code",
      "2:the command line cannot be used",
      "4:what was named does not exist",
      "5:the database, or the API, cannot be reached",
      "130:Ctrl-C"
    })
public abstract class DatabaseCommand extends VertxCommand {
  /** How many requests, with their tokens, one answer may take over HTTP at most. */
  private static final int REQUESTS = 20;

  @Mixin
  private DatabaseOptions database = new DatabaseOptions();

  @Mixin
  private RemoteOptions remote = new RemoteOptions();

  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Prints JSON, for programs.")
  private boolean json;

  @Option(
      names = "--answer-within",
      paramLabel = "TIME",
      description = "How long an answer may take. Default: ${DEFAULT-VALUE}.")
  private String answerWithin = "60s";

  protected DatabaseCommand(OperatorConsole console) {
    super(console);
  }

  /** What the command's options mean, checked before anything is opened. */
  public interface Begun {
    /** Does it. Returns how it ended. */
    OperatorExit in(Vertx vertx, DatabaseOptions.Settings settings);
  }

  /** What the same means over HTTP. */
  public interface BegunRemotely {
    /** Does it. Returns how it ended. */
    OperatorExit with(ApiClient client);
  }

  /** Checks the options. Throws {@link UsageException}. */
  protected abstract Begun begin();

  /** The same over HTTP. Throws {@link UsageException} too. */
  protected BegunRemotely beginRemotely() {
    throw new UsageException("this works on the database itself, not over --url");
  }

  /** Whether it can be done over HTTP. */
  protected boolean goesRemotely() {
    return false;
  }

  @Override
  protected final Prepared prepare() {
    Duration patience = TimeText.positive("--answer-within", answerWithin);
    waitWithin(patience);
    if (!goesRemotely() && remote.isMeant()) {
      throw new UsageException("this works on the database itself, not over --url");
    }
    Optional<RemoteOptions.Settings> api = goesRemotely()
        ? remote.settings(database, console().variables(), patience)
        : Optional.empty();
    if (api.isEmpty()) {
      return locally();
    }
    waitWithin(patience.multipliedBy(REQUESTS)); // each of which the client ends, and says by whom
    return remotely(api.get());
  }

  private Prepared remotely(RemoteOptions.Settings settings) {
    BegunRemotely begun = beginRemotely();
    return new Prepared() {
      @Override
      public OperatorExit in(Vertx vertx) {
        ApiClient client = ApiClient.create(
            vertx, settings.options(), () -> Future.succeededFuture(settings.token()));
        meet(client, settings.options().getUrl());
        return begun.with(client);
      }

      @Override
      public String withoutSecrets(String text) {
        return settings.withoutToken(text);
      }
    };
  }

  /** Refuses a server of another environment than the variable names, and says at a terminal which one it is. */
  private void meet(ApiClient client, String url) {
    String meant = console().variables().getOrDefault("RUNLANE_ENVIRONMENT", "").strip();
    if (meant.isEmpty() && !saysWhere()) {
      return;
    }
    String environment = console().await(client.session()).environment();
    if (!meant.isEmpty() && !meant.equals(environment)) {
      throw new UsageException(
          "RUNLANE_ENVIRONMENT is %s, but %s serves %s: unset the variable, or ask another server"
              .formatted(meant, url, environment));
    }
    sayWhere("environment " + environment + " of " + url);
  }

  /** Whether people see on what a command acts that changes something. */
  private boolean saysWhere() {
    return spec.findOption("--actor") != null && console().terminal().isErrorShown();
  }

  private void sayWhere(String place) {
    if (saysWhere()) {
      console().err().println("runlane: in " + PlainText.oneLine(place));
    }
  }

  private Prepared locally() {
    Begun begun = begin();
    DatabaseOptions.Settings settings = database.settings(console().variables());
    return new Prepared() {
      @Override
      public OperatorExit in(Vertx vertx) {
        sayWhere("environment " + settings.environment() + ", schema " + settings.schema());
        return begun.in(vertx, settings);
      }

      @Override
      public String withoutSecrets(String text) {
        return settings.withoutAddress(text);
      }
    };
  }

  /**
   * Whether a failure is of the database, of the server or of who asks, rather than of the one thing that was to be
   * changed: the next would fail as well.
   */
  protected static boolean isOfAll(RunlaneException failure) {
    return isUnknown(failure) || failure.code() == ErrorCode.CONFIGURATION_INVALID;
  }

  /** Whether nobody knows after such a failure if the change was made. */
  protected static boolean isUnknown(RunlaneException failure) {
    return switch (failure.code()) {
      case STORAGE_UNAVAILABLE, TRANSPORT_UNAVAILABLE, ADAPTER_CONTRACT_VIOLATION -> true;
      default -> false;
    };
  }

  /** Whether the command line names the database, whatever the environment of the process says. */
  protected final boolean isAddressGiven() {
    return database.isOptionGiven();
  }

  protected final boolean isJson() {
    return json;
  }
}
