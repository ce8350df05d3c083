package dev.runlane.kafkabroker;

import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * What to run, as the command line says it: {@code FOLDER PORT CONTROLLER_PORT keep|temporary
 * [NAME=VALUE …]}.
 *
 * @param folder holds {@code data}, and {@code ready} while the broker takes records
 * @param temporary whether the folder goes when the launcher is gone
 * @param settings of the broker, as NAME=VALUE; win over those here
 */
record BrokerPlan(
    Path folder, int port, int controllerPort, boolean temporary, List<String> settings) {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int FIXED_ARGUMENTS = 4;

  /** There is one broker; and with one partition each, its coordinators are ready all at once. */
  private static final List<String> ONES = List.of(
      "offsets.topic.replication.factor",
      "offsets.topic.num.partitions",
      "transaction.state.log.replication.factor",
      "transaction.state.log.num.partitions",
      "transaction.state.log.min.isr",
      "share.coordinator.state.topic.replication.factor",
      "share.coordinator.state.topic.num.partitions",
      "share.coordinator.state.topic.min.isr");

  BrokerPlan {
    settings = List.copyOf(settings);
  }

  static BrokerPlan parse(String[] arguments) {
    if (arguments.length < FIXED_ARGUMENTS) {
      throw new IllegalArgumentException(
          "usage: FOLDER PORT CONTROLLER_PORT keep|temporary [NAME=VALUE ...]");
    }
    List<String> rest = List.of(arguments).subList(FIXED_ARGUMENTS, arguments.length);
    return new BrokerPlan(
        Path.of(arguments[0]),
        Integer.parseInt(arguments[1]),
        Integer.parseInt(arguments[2]),
        arguments[3].equals("temporary"),
        rest);
  }

  Path data() {
    return folder.resolve("data");
  }

  /** Names the process that takes records; there is none while the file is missing or stale. */
  Path readyFile() {
    return folder.resolve("ready");
  }

  /** Held by the broker's process for as long as it lives. */
  Path lockFile() {
    return folder.resolve("broker.lock");
  }

  Path propertiesFile() {
    return folder.resolve("broker.properties");
  }

  String bootstrapServers() {
    return LOOPBACK + ":" + port;
  }

  /** The broker's configuration: one node that is broker and controller, on the loopback interface. */
  Properties properties() {
    Properties all = new Properties();
    all.setProperty("process.roles", "broker,controller");
    all.setProperty("node.id", "1");
    all.setProperty("controller.quorum.voters", "1@" + LOOPBACK + ":" + controllerPort);
    all.setProperty("controller.listener.names", "CONTROLLER");
    all.setProperty(
        "listeners",
        "PLAINTEXT://" + bootstrapServers() + ",CONTROLLER://" + LOOPBACK + ":" + controllerPort);
    all.setProperty("advertised.listeners", "PLAINTEXT://" + bootstrapServers());
    all.setProperty("log.dirs", data().toString());
    // A killed broker is taken for alive until its session ends, and refused until then.
    all.setProperty("broker.session.timeout.ms", "1500");
    all.setProperty("broker.heartbeat.interval.ms", "300");
    all.setProperty("auto.create.topics.enable", "false");
    all.setProperty("group.initial.rebalance.delay.ms", "0");
    ONES.forEach(name -> all.setProperty(name, "1"));
    // The default of 128 MB is taken from the small heap at the start.
    all.setProperty("log.cleaner.dedupe.buffer.size", String.valueOf(4 << 20));
    for (String setting : settings) {
      int end = setting.indexOf('=');
      all.setProperty(setting.substring(0, end), setting.substring(end + 1));
    }
    return all;
  }
}
