package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.process.FreePort;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.server.ServerLife;
import java.io.IOException;
import java.time.Duration;

/** Starts a server on an initialized folder, as often as it takes. */
record PostgresLaunch(PostgresInstallation installation, DataFolder folder, PostgresPlan plan) {
  /** How long a dying predecessor may still hold the data folder. */
  private static final Duration PREDECESSOR_TIMEOUT = Duration.ofSeconds(15);

  private static final long RETRY_PAUSE_MILLIS = 50;
  private static final int PORT_TRIES = 10;

  /** Starts on a free port; takes another one where somebody else was faster. */
  ServerLife.Started onAnyPort() throws IOException {
    for (int tries = 1; ; tries++) {
      int candidate = FreePort.find();
      try {
        return onPort(candidate);
      } catch (ServerException failure) {
        if (tries == PORT_TRIES || !isPortTaken(folder.logTail())) {
          throw failure;
        }
      }
    }
  }

  /** Starts on this port and waits until the server accepts connections. */
  ServerLife.Started onPort(int wanted) throws IOException {
    long deadline = System.nanoTime() + PREDECESSOR_TIMEOUT.toNanos();
    while (true) {
      PostgresProcess started = PostgresProcess.spawn(installation, folder, plan, wanted);
      if (started.becomesReady(plan.startTimeout())) {
        return new ServerLife.Started(started, wanted);
      }
      String log = folder.logTail();
      if (!isPredecessorDying(log) || System.nanoTime() - deadline > 0) {
        throw new ServerException(startFailure(wanted, log));
      }
      Poll.pause(RETRY_PAUSE_MILLIS);
    }
  }

  /** A killed launcher's server still stopping, or a killed server's children still dying. */
  private static boolean isPredecessorDying(String log) {
    return log.contains("lock file \"postmaster.pid\" already exists")
        || log.contains("pre-existing shared memory block");
  }

  private static boolean isPortTaken(String log) {
    return log.contains("Address already in use");
  }

  private String startFailure(int wanted, String log) {
    if (isPredecessorDying(log)) {
      return "the data folder " + folder.folder() + " is in use by another PostgreSQL server:\n"
          + log;
    }
    if (isPortTaken(log)) {
      return "port " + wanted + " is in use by another program:\n" + log;
    }
    return "the server on " + folder.folder() + " did not start:\n" + log;
  }
}
