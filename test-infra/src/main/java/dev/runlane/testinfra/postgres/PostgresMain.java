package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.server.ForegroundServer;
import java.io.IOException;

/**
 * A server in the foreground, with the options of {@link ForegroundServer} and their meaning in {@link
 * EmbeddedPostgres.Builder}. The address it prints has the password in it.
 */
public final class PostgresMain {
  private PostgresMain() {}

  /** Runs the server until standard input ends; an unknown option ends the program with an exception. */
  public static void main(String[] arguments) throws IOException {
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
    ForegroundServer.run(arguments, builder, builder::cacheFolder, server -> server
        .address(server.user())
        .toUri());
  }
}
