package dev.runlane.console;

import dev.runlane.console.access.AccessTokens;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.json.VertxJson;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tokens from a file that somebody changes while the console is served: who stands in it no more is refused, on streams
 * that are open too. One that is missing, half written or wrong changes nothing, and is logged once.
 */
final class TokenFile {
  /** How often the file is looked at = 1 min. */
  static final Duration LOOKED_AT = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
  private static final String TOKENS = "tokens";

  private final Vertx vertx;
  private final String path;
  private final AccessTokens tokens;
  private @Nullable Buffer taken;
  private @Nullable String warnedOf;

  /** @param tokens is given what the file holds, beside what it has */
  TokenFile(Vertx vertx, String path, AccessTokens tokens) {
    this.vertx = vertx;
    this.path = path;
    this.tokens = tokens;
  }

  /** Takes the tokens of the file. Fails with {@code ConfigurationInvalid} where it cannot be read, or is wrong. */
  Future<Void> read() {
    return vertx
        .fileSystem()
        .readFile(path)
        .map(this::take)
        .recover(failure -> Future.failedFuture(RunlaneException.configurationInvalid(
                "tokensPath %s cannot be taken: %s", path, String.valueOf(failure.getMessage()))
            .causedBy(failure)));
  }

  /** Takes the tokens of the file, if there are others, and keeps those that it has where it is wrong. Never fails. */
  Future<Void> readAgain() {
    return read().onSuccess(read -> warnedOf = null).recover(failure -> {
      String problem = String.valueOf(failure.getMessage());
      if (!problem.equals(warnedOf)) {
        warnedOf = problem;
        LOG.warn("{}; the tokens stay as they were, it is looked at each minute", problem);
      }
      return Future.succeededFuture();
    });
  }

  private Void take(Buffer content) {
    if (!content.equals(taken)) {
      List<TokenOptions> found = tokens(VertxJson.read(content.toString()));
      tokens.ofFile(found);
      taken = content;
      LOG.info("{} has {} tokens", path, found.size());
    }
    return null;
  }

  private static List<TokenOptions> tokens(JsonObject file) {
    if (!file.fieldNames().equals(Set.of(TOKENS))) {
      throw RunlaneException.configurationInvalid(
          "it must be an object with '%s' alone, a list as the option of this name", TOKENS);
    }
    return new ConsoleOptions(file).getTokens();
  }
}
