package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.server.ServerLife;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How an embedded broker is to run.
 *
 * @param keptFolder where data is kept, or null for a temporary broker
 * @param port 0 for any free one
 * @param settings of the broker; win over those it is started with by itself
 * @param listeners further listeners than that for everybody, by name
 * @param joins the port of another broker's controller, whose cluster this one joins; null for one of its own
 */
record KafkaPlan(
    @Nullable Path keptFolder,
    int port,
    Duration startTimeout,
    Map<String, String> settings,
    Map<String, Listener> listeners,
    @Nullable Integer joins) {

  /**
   * A further listener.
   *
   * @param protocol such as {@code SASL_SSL}
   */
  record Listener(String protocol, int port) {}

  KafkaPlan {
    settings = Map.copyOf(settings);
    listeners = Map.copyOf(listeners);
  }

  /** What a broker is started with on these ports, beside what it is started with by itself. */
  Map<String, String> settings(int listenedOn, int controllerPort) {
    Map<String, String> all = new TreeMap<>();
    StringBuilder addresses = new StringBuilder(address("PLAINTEXT", listenedOn));
    StringBuilder protocols = new StringBuilder("CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
    listeners.forEach((name, listener) -> {
      addresses.append(",").append(address(name, listener.port()));
      protocols.append(",").append(name).append(":").append(listener.protocol());
    });
    all.put("advertised.listeners", addresses.toString());
    all.put("listener.security.protocol.map", protocols.toString());
    if (joins == null) {
      all.put("listeners", addresses + "," + address("CONTROLLER", controllerPort));
    } else {
      all.put("listeners", addresses.toString());
      all.put("process.roles", "broker");
      all.put("node.id", "2");
      all.put("controller.quorum.voters", "1@" + ServerLife.LOOPBACK + ":" + joins);
    }
    all.putAll(settings);
    return all;
  }

  private static String address(String listener, int port) {
    return listener + "://" + ServerLife.LOOPBACK + ":" + port;
  }

  boolean isTemporary() {
    return keptFolder == null;
  }
}
