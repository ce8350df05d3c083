package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.process.FreePort;
import dev.runlane.testinfra.server.ServerLife;
import java.io.IOException;
import java.util.List;

/** Starts a broker on its folder, as often as it takes to get its ports. */
final class KafkaLaunch {
  private static final int PORT_TRIES = 10;

  private final List<String> classes;
  private final KafkaFolder folder;
  private final KafkaPlan plan;
  private volatile int controllerPort;

  /** @param classes options of java that say where its classes are */
  KafkaLaunch(List<String> classes, KafkaFolder folder, KafkaPlan plan) {
    this.classes = classes;
    this.folder = folder;
    this.plan = plan;
  }

  List<String> classes() {
    return classes;
  }

  KafkaPlan plan() {
    return plan;
  }

  /** Where the controller of the broker that was started last listens. */
  int controllerPort() {
    return controllerPort;
  }

  /**
   * Starts and waits until the broker takes records.
   *
   * @param wanted the port, or 0 for any free one
   */
  ServerLife.Started onPort(int wanted) throws IOException {
    for (int tries = 1; ; tries++) {
      int port = wanted == 0 ? FreePort.find() : wanted;
      // Nobody but the broker, and one that joined it, talks to its controller: its port may differ
      // from start to start.
      controllerPort = FreePort.findOtherThan(port);
      KafkaProcess started = KafkaProcess.spawn(classes, folder, plan, port, controllerPort);
      if (started.becomesReady(plan.startTimeout())) {
        return new ServerLife.Started(started, port);
      }
      String log = folder.logTail();
      boolean wantedPortTaken =
          wanted != 0 && log.contains(":" + wanted + ": Address already in use");
      boolean somePortTaken = log.contains("Address already in use");
      if (wantedPortTaken) {
        throw new ServerException("port " + wanted + " is in use by another program:\n" + log);
      }
      if (!somePortTaken || tries == PORT_TRIES) {
        throw new ServerException("the broker on " + folder.folder() + " did not start:\n" + log);
      }
    }
  }
}
