package dev.runlane.connectorkit;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The entry of a connector written in Java: a program that reads START from its standard input,
 * writes messages, one JSON object a line, to its standard output, and says DONE.
 *
 * <p>While a connector runs, standard output belongs to the protocol: {@code System.out} goes to
 * standard error, so that a stray {@code println} of a library cannot break a run, and {@code
 * System.in} is empty. Only a program that the connector starts itself with inherited output can
 * still write there.
 */
public final class Connector {

  private Connector() {}

  /**
   * Runs {@code body} and ends the process: 0 after DONE succeeded, 1 after any other end, 143 on
   * SIGTERM. Never returns.
   */
  public static void run(ConnectorBody body) {
    run(new ConnectorOptions().setEnvironment(System.getenv()), body);
  }

  /** Like {@link #run(ConnectorBody)}, with options. The environment is the one they give. */
  public static void run(ConnectorOptions options, ConnectorBody body) {
    InputStream in = new FileInputStream(FileDescriptor.in);
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    System.setOut(System.err);
    System.setIn(InputStream.nullInputStream());
    ConnectorSession session = new ConnectorSession(in, out, options, body);
    Runtime.getRuntime().addShutdownHook(new Thread(session::stop, "connector-stop"));
    int exitCode = session.run();
    System.exit(exitCode);
  }

  /**
   * Runs {@code body} over the given streams in the calling thread, for tests: no process ends, and
   * {@code System.out} stays as it is.
   *
   * @return the exit code that the process would have had
   */
  public static int run(
      InputStream in, OutputStream out, ConnectorOptions options, ConnectorBody body) {
    return new ConnectorSession(in, out, options, body).run();
  }
}
