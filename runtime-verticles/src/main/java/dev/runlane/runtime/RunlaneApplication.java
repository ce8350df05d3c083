package dev.runlane.runtime;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

/**
 * How a program gives its runtime to tools that are started with the program on their class path, such as {@code
 * runlane worker}. Exactly one implementation is declared for {@link java.util.ServiceLoader}: a public class with a
 * public constructor without parameters.
 */
public interface RunlaneApplication {
  /**
   * The program's runtime, built but not started: whoever asked starts and closes it. Called once.
   *
   * @param vertx what the runtime works on
   * @param settings what the tool was given, for programs that have no settings of their own
   */
  Future<Runlane> runtime(Vertx vertx, ApplicationSettings settings);
}
