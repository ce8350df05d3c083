package dev.runlane.kafkabroker;

import java.io.IOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.utils.Time;

/**
 * Runs a broker on a folder, which it formats first where that is new. The line {@code stop} on
 * standard input stops it; so does the end of standard input, which means that the launcher is gone.
 *
 * <p>The file {@code ready} in the folder holds this process's pid from when records are taken and
 * consumer groups can join.
 */
public final class BrokerMain {
  /** A formatted folder is only accepted with the id it was formatted with. */
  private static final String CLUSTER_ID = "RunlaneEmbeddedKafka0A";

  private BrokerMain() {}

  /** Returns when the broker has ended; a start that fails ends the program with an exception. */
  public static void main(String[] arguments) throws Exception {
    System.setProperty(
        "log4j2.configurationFile", "classpath:dev/runlane/kafkabroker/log4j2.properties");
    BrokerPlan plan = BrokerPlan.parse(arguments);
    LauncherWatch watch = LauncherWatch.start(plan);
    try {
      run(plan, watch);
    } catch (Throwable failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1); // Kafka's threads would keep it alive
    }
  }

  private static void run(BrokerPlan plan, LauncherWatch watch) throws Exception {
    FileChannel lock = waitForPredecessor(plan);
    Files.deleteIfExists(plan.readyFile());
    format(plan);
    KafkaRaftServer server =
        new KafkaRaftServer(KafkaConfig.fromProps(plan.properties()), Time.SYSTEM);
    server.startup();
    watch.started(server::shutdown);
    awaitGroups(plan);
    announce(plan);
    server.awaitShutdown();
    lock.close();
  }

  /** A killed launcher's broker is still stopping, and has the data and the port until then. */
  private static FileChannel waitForPredecessor(BrokerPlan plan) throws IOException {
    FileChannel channel =
        FileChannel.open(plan.lockFile(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      System.err.println("another broker still runs on " + plan.folder() + ": waiting for its end");
      channel.lock();
    }
    return channel;
  }

  private static void format(BrokerPlan plan) throws IOException {
    Properties properties = plan.properties();
    try (Writer file = Files.newBufferedWriter(plan.propertiesFile())) {
      properties.store(file, "written at every start");
    }
    String[] command = {
      "format",
      "--cluster-id",
      CLUSTER_ID,
      "--config",
      plan.propertiesFile().toString(),
      "--ignore-formatted"
    };
    int exitCode = StorageTool.execute(command, System.err);
    if (exitCode != 0) {
      throw new IllegalStateException("formatting " + plan.data() + " failed with " + exitCode);
    }
  }

  /**
   * The server has started once its controller lets it serve clients. Groups need their coordinator
   * too, whose topic the first question creates and every later start reads again.
   */
  private static void awaitGroups(BrokerPlan plan) throws InterruptedException, ExecutionException {
    Map<String, Object> client =
        Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, plan.bootstrapServers());
    try (Admin admin = Admin.create(client)) {
      admin
          .listConsumerGroupOffsets("runlane-readiness")
          .partitionsToOffsetAndMetadata()
          .get();
    }
  }

  /** In one step, so that nobody reads half a pid. */
  private static void announce(BrokerPlan plan) throws IOException {
    Path half = plan.folder().resolve("ready.new");
    Files.writeString(half, String.valueOf(ProcessHandle.current().pid()));
    Files.move(half, plan.readyFile(), StandardCopyOption.ATOMIC_MOVE);
  }
}
