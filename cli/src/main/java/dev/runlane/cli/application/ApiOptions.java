package dev.runlane.cli.application;

import dev.runlane.cli.option.JsonInput;
import dev.runlane.cli.option.UsageException;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the HTTP API is served. */
final class ApiOptions {
  @Option(
      names = "--port",
      paramLabel = "PORT",
      description =
          "Where it listens, on 127.0.0.1 unless the options say otherwise. Default: 8378; 0 is any.")
  private @Nullable Integer port;

  @Option(
      names = "--options",
      paramLabel = "FILE",
      description = "A JSON file of ConsoleOptions: host, certificate, tokens, masks and limits.")
  private @Nullable Path file;

  /** Throws {@link UsageException} for a file that cannot be read or is no such options. */
  ConsoleOptions options() {
    try {
      ConsoleOptions options = file == null ? new ConsoleOptions() : ofFile(file);
      return port == null ? options : options.setPort(port);
    } catch (DecodeException notJson) {
      throw new UsageException("--options: " + file + " is no JSON object");
    } catch (RunlaneException refused) {
      throw new UsageException(String.valueOf(refused.getMessage()));
    }
  }

  private static ConsoleOptions ofFile(Path file) {
    JsonObject json = new JsonObject(JsonInput.file("--options", file));
    if (json.getMap() == null) { // of a file that says null
      throw new DecodeException("null");
    }
    return new ConsoleOptions(json);
  }

  /** Where it is reached, once it listens on a port. */
  static String address(ConsoleOptions options, int listening) {
    return options
        .getPublicUrl()
        .orElseGet(() -> (options.getCertificatePath().isPresent() ? "https://" : "http://")
            + options.getHost() + ":" + listening);
  }
}
