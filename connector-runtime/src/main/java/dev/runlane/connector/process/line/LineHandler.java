package dev.runlane.connector.process.line;

import io.vertx.core.Future;

/**
 * Takes the output of a child.
 *
 * @param <T> what a line became
 */
@FunctionalInterface
public interface LineHandler<T> {
  /**
   * Takes lines, on the context of the run. The next batch comes once the future has succeeded; until then at
   * most {@link dev.runlane.connector.process.ChildProcessOptions#getReadAheadBytes} are read ahead, and then the
   * child is left to wait on its full pipe. A future that fails, or a call that throws, ends the reading as
   * {@link OutputEnd.Failed}.
   */
  Future<Void> handle(LineBatch<T> batch);
}
