package dev.runlane.example;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.testinfra.postgres.DataPlace;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;

/**
 * Reads a file of orders, brings every order to its end and says how it went. What is open when it is
 * stopped goes on at the next start with the same folder.
 */
public final class OrdersProgram {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String LOG = "program.log";
  private static final String KAFKA = "kafka";

  private final CommandLine command;
  private final Screen screen;
  private final Interruption interruption;

  private OrdersProgram(CommandLine command, Screen screen, Interruption interruption) {
    this.command = command;
    this.screen = screen;
    this.interruption = interruption;
  }

  /** Ends the JVM with the code that {@link ExitCode} explains. */
  public static void main(String[] arguments) {
    Interruption interruption = Interruption.listen(PATIENCE);
    ExitCode code;
    try {
      code = run(List.of(arguments), interruption);
    } finally {
      interruption.ended();
    }
    System.exit(code.value());
  }

  private static ExitCode run(List<String> arguments, Interruption interruption) {
    try {
      CommandLine command = CommandLine.parse(arguments);
      return new OrdersProgram(command, new Screen(System.out, command.live()), interruption).run();
    } catch (CommandLine.UsageException wrong) {
      System.err.println(wrong.getMessage());
      return ExitCode.USAGE;
    } catch (ServerException | IOException | ExecutionException failure) {
      return interruption.isAsked() ? ExitCode.INTERRUPTED : failed(failure);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
      return ExitCode.INTERRUPTED;
    }
  }

  private static ExitCode failed(Exception failure) {
    Throwable cause = failure instanceof ExecutionException
        ? Objects.requireNonNullElse(failure.getCause(), failure)
        : failure;
    String what = cause instanceof IOException // whose message may be no more than a path
        ? cause.getClass().getSimpleName() + ": " + cause.getMessage()
        : String.valueOf(cause.getMessage());
    System.err.println("failed: " + what.strip().replaceAll("\\s*\\n\\s*", " | "));
    return ExitCode.FAILED;
  }

  private ExitCode run() throws IOException, ExecutionException, InterruptedException {
    if (!Files.isReadable(command.orders()) || Files.isDirectory(command.orders())) {
      throw new CommandLine.UsageException("there is no file of orders at " + command.orders());
    }
    OrderFile file = OrderFile.read(command.orders());
    logTo(command.data());
    Path place = DataPlace.of(command.data());
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().dataFolder(place).start()) {
      screen.say(postgres.origin());
      OrdersSession session = new OrdersSession(command, screen, interruption);
      if (!command.overKafka()) {
        return session.run(new Infrastructure(postgres, null, place), file);
      }
      try (EmbeddedKafka kafka =
          EmbeddedKafka.builder().dataFolder(place.resolve(KAFKA)).start()) {
        screen.say(kafka.origin());
        return session.run(new Infrastructure(postgres, kafka, place), file);
      }
    }
  }

  /** Every retry of a database that is gone would be told on the screen. */
  private static void logTo(Path folder) throws IOException {
    Files.createDirectories(folder);
    System.setProperty("org.slf4j.simpleLogger.logFile", folder.resolve(LOG).toString());
  }
}
