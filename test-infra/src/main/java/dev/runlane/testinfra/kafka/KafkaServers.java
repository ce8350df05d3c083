package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.server.DockerEngine;
import dev.runlane.testinfra.server.TestServer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the Kafka broker that the tests of this process share. */
public final class KafkaServers {
  /** The environment variable that names brokers to use, as {@code host:port[,host:port…]}. */
  public static final String ADDRESS_VARIABLE = "RUNLANE_TEST_KAFKA";

  private KafkaServers() {}

  /**
   * The one server of this process, found at the first call: the one named in {@code
   * RUNLANE_TEST_KAFKA}; else one in Docker, where an engine answers and testcontainers-kafka is on the
   * class path; else an embedded one. Says on standard output which one it is. It is given back when
   * the process ends, and callers must not close it: each test takes topics and groups of its own.
   *
   * <p>Own servers create no topic by themselves.
   *
   * @throws ServerException if the named server does not answer, or none can be started
   */
  public static KafkaServer shared() {
    return Shared.SERVER.get();
  }

  private static final class Shared {
    static final Supplier<KafkaServer> SERVER =
        TestServer.shared("Kafka", () -> find(System.getenv(ADDRESS_VARIABLE)));
  }

  /** Takes the first place that has a server. A named server that fails is never replaced. */
  static KafkaServer find(@Nullable String givenAddress) {
    if (givenAddress != null && !givenAddress.isBlank()) {
      return given(givenAddress.strip());
    }
    if (DockerEngine.isAnnounced() && ContainerKafka.isAvailable()) {
      return ContainerKafka.start();
    }
    return EmbeddedKafka.builder().start();
  }

  private static KafkaServer given(String bootstrapServers) {
    KafkaProbe.requireAnswer(bootstrapServers);
    return new GivenKafka(
        bootstrapServers, bootstrapServers + ", from " + ADDRESS_VARIABLE, () -> {});
  }
}
