package dev.runlane.testinfra.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Function;

/** A server in the foreground of a program that does nothing else. */
public final class ForegroundServer {
  private ForegroundServer() {}

  /**
   * Starts the server with {@code [--data FOLDER] [--port PORT] [--cache FOLDER]}, prints its address, then
   * where it comes from, and returns when standard input ends. An unknown option throws.
   */
  public static <S extends EmbeddedServer> void run(
      String[] arguments,
      ServerBuilder<?, S> builder,
      Consumer<Path> cacheFolder,
      Function<S, String> address)
      throws IOException {
    for (int i = 0; i < arguments.length; i += 2) {
      if (i + 1 == arguments.length) {
        throw new IllegalArgumentException(arguments[i] + " needs a value");
      }
      switch (arguments[i]) {
        case "--data" -> builder.dataFolder(Path.of(arguments[i + 1]));
        case "--cache" -> cacheFolder.accept(Path.of(arguments[i + 1]));
        case "--port" -> builder.port(Integer.parseInt(arguments[i + 1]));
        default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
      }
    }
    try (S server = builder.start()) {
      System.out.println(address.apply(server));
      System.out.println(server.origin());
      while (System.in.read() >= 0) {
        // Input means nothing, its end does.
      }
    }
  }
}
