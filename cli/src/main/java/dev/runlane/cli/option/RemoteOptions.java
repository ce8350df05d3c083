package dev.runlane.cli.option;

import dev.runlane.client.ApiClientOptions;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the runs are, if not in a database that can be reached: a system's console. The token is shown nowhere. */
public final class RemoteOptions {
  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "Goes through the HTTP API of a console, such as https://runs.example.com, in place of a database."
              + " Default: RUNLANE_URL, where no database is named.")
  private @Nullable String url;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description =
          "The API's token. Other users of this machine can see a command's options: prefer"
              + " RUNLANE_TOKEN or a file.")
  private @Nullable String token;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "A file whose only line is that token. Default: RUNLANE_TOKEN_FILE.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--trust",
      paramLabel = "FILE",
      description =
          "A PEM file with the certificates that the API's is held to, in place of the system's."
              + " Default: RUNLANE_TRUST.")
  private @Nullable Path trust;

  /** None is given yet. */
  public RemoteOptions() {}

  /**
   * What was given.
   *
   * @param options where the API is
   * @param token the empty text: none
   */
  public record Settings(ApiClientOptions options, String token) {
    /** The text without the token, where a failure should quote it. */
    public String withoutToken(String text) {
      return token.isEmpty() ? text : text.replace(token, "the token");
    }

    /** Without the token. */
    @Override
    public String toString() {
      return options.getUrl();
    }
  }

  /** Whether the command line itself asks for the API. */
  public boolean isGiven() {
    return url != null;
  }

  /** Whether anything of the command line is about the API. */
  public boolean isMeant() {
    return url != null || token != null || tokenFile != null || trust != null;
  }

  /**
   * The API, where the command is to go there: an option counts for more than a variable, and variables of both kinds
   * leave it open. Throws {@link UsageException} for what cannot be used.
   *
   * @param patience how long an answer may take
   */
  public Optional<Settings> settings(
      DatabaseOptions database, Map<String, String> variables, Duration patience) {
    String variable = variables.get("RUNLANE_URL");
    boolean isNamed = variable != null && !variable.isBlank();
    if (url == null && database.isOptionGiven()) {
      if (isMeant()) {
        throw new UsageException("--token, --token-file and --trust go with --url");
      }
      return Optional.empty();
    }
    if (url == null && !isNamed) {
      if (isMeant()) {
        throw new UsageException("--token, --token-file and --trust go with --url or RUNLANE_URL");
      }
      return Optional.empty();
    }
    if (url == null && database.isGiven(variables)) {
      throw new UsageException(
          "RUNLANE_URL and a database are both set: give --url or --database, or unset one of them");
    }
    if (url != null && database.isOptionGiven()) {
      throw new UsageException("--url and --database exclude each other");
    }
    if (database.isScoped()) {
      throw new UsageException("--schema and --environment are the server's where --url is given");
    }
    return Optional.of(
        settings(url == null ? String.valueOf(variable).strip() : url, variables, patience));
  }

  private Settings settings(String address, Map<String, String> variables, Duration patience) {
    try {
      ApiClientOptions options = new ApiClientOptions().setUrl(address).setRequestTimeout(patience);
      String trusted = trust == null ? variables.get("RUNLANE_TRUST") : trust.toString();
      if (trusted != null && !trusted.isBlank()) {
        if (!Files.isReadable(Path.of(trusted))) {
          throw new UsageException("--trust: %s cannot be read".formatted(trusted));
        }
        options.setTrustedCertificatePath(trusted);
      }
      return new Settings(options, token(variables));
    } catch (RunlaneException refused) {
      throw new UsageException("--url: " + refused.getMessage());
    }
  }

  private String token(Map<String, String> variables) {
    if (token != null && tokenFile != null) {
      throw new UsageException("--token and --token-file exclude each other");
    }
    if (token != null) {
      return token.strip();
    }
    if (tokenFile != null) {
      return line("--token-file", tokenFile);
    }
    String named = variables.get("RUNLANE_TOKEN");
    String file = variables.get("RUNLANE_TOKEN_FILE");
    if (named != null && !named.isBlank()) {
      return named.strip();
    }
    return file == null || file.isBlank() ? "" : line("RUNLANE_TOKEN_FILE", Path.of(file));
  }

  private static String line(String option, Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      throw new UsageException("%s: %s cannot be read (%s)"
          .formatted(option, file, unreadable.getClass().getSimpleName()));
    }
  }
}
