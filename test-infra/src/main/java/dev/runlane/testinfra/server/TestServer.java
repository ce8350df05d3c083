package dev.runlane.testinfra.server;

import dev.runlane.testinfra.ServerException;
import java.util.function.Supplier;

/** A real server that tests use, wherever it comes from. */
public interface TestServer extends AutoCloseable {
  /** Says in a few words where this server comes from, without its password. */
  String origin();

  /**
   * Gives back what this object holds: an own server stops, a given one loses the databases created
   * here. A second call does nothing.
   */
  @Override
  void close();

  /**
   * Looks for the server that the tests of this process share, and says on standard output which one it is. It
   * is given back when the process ends. Remembers a failure too: looking again in every test would only
   * repeat it, slowly.
   */
  static <S extends TestServer> Supplier<S> shared(String kind, Supplier<S> search) {
    try {
      S server = search.get();
      Runtime.getRuntime().addShutdownHook(new Thread(server::close, "close shared " + kind));
      System.out.println(kind + " for tests: " + server.origin());
      return () -> server;
    } catch (RuntimeException failure) {
      return () -> {
        throw new ServerException("no " + kind + " for tests: " + failure.getMessage(), failure);
      };
    }
  }
}
