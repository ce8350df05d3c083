package dev.runlane.testinfra;

import java.io.IOException;

/** Starts MariaDB on an initialized folder, as often as it takes to get a port. */
record MariadbLaunch(MariadbInstallation installation, MariadbFolder folder, MariadbPlan plan) {
  private static final int PORT_TRIES = 10;

  /** A server that accepts connections on this port. */
  record Started(MariadbProcess process, int port) {}

  /**
   * Starts and waits until the server accepts connections. A predecessor that still dies is waited for by
   * the server itself.
   *
   * @param wanted the port, or 0 for any free one
   */
  Started onPort(int wanted) throws IOException {
    for (int tries = 1; ; tries++) {
      int port = wanted == 0 ? FreePort.find() : wanted;
      MariadbProcess started = MariadbProcess.spawn(installation, folder, plan, port);
      if (becomesReady(started)) {
        return new Started(started, port);
      }
      String log = folder.logTail();
      boolean portTaken = log.contains("Address already in use");
      if (portTaken && wanted != 0) {
        throw new ServerException("port " + wanted + " is in use by another program:\n" + log);
      }
      if (!portTaken || tries == PORT_TRIES) {
        throw new ServerException("the server on " + folder.folder() + " did not start:\n" + log);
      }
    }
  }

  /** A wait that fails must not leave a server behind that nobody knows. */
  private boolean becomesReady(MariadbProcess started) {
    try {
      return started.awaitReady(plan.startTimeout());
    } catch (RuntimeException failure) {
      started.kill();
      throw failure;
    }
  }
}
