package dev.runlane.drills.fleet;

import dev.runlane.run.QueuePolicy;
import dev.runlane.transport.kafka.KafkaConsumerOptions;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** How drills use Kafka: a topic a queue, named like it, with more partitions than there are workers. */
public final class DrillTopics {
  static final String GROUP = "drill";
  public static final int PARTITIONS = 6;

  /** How long publishing may take; shorter than {@link DrillRuntime#CLAIM}. */
  static final Duration PUBLISH = Duration.ofMillis(2_500);

  /** As short as brokers take it: the partitions of a process that was killed are soon somebody else's. */
  static final Duration SESSION = Duration.ofSeconds(6);

  private DrillTopics() {}

  /** A transport for all queues that starts without a broker too; {@code client} is the member's name. */
  static KafkaTransportOptions transport(String servers, String client) {
    KafkaTransportOptions options = new KafkaTransportOptions()
        .setBootstrapServers(servers)
        .setBrokerRequired(false)
        .setStartTimeout(Duration.ofSeconds(5))
        .setPublishTimeout(PUBLISH)
        .setCreateTopics(new KafkaTopicOptions().setPartitions(PARTITIONS))
        .setConsumer(new KafkaConsumerOptions()
            .setGroupId(GROUP)
            .setSessionTimeout(SESSION)
            .setProperties(Map.of("client.id", client)));
    DrillTasks.policies().forEach(policy -> options.addQueue(binding(policy)));
    return options;
  }

  /** The topics of all queues. */
  public static List<String> wakeups() {
    return DrillTasks.policies().stream()
        .map(policy -> binding(policy).getTopic())
        .toList();
  }

  /** Where the consumers put what they cannot deal with. */
  public static List<String> deadLetters() {
    return DrillTasks.policies().stream()
        .map(policy -> binding(policy).getDeadLetterTopic())
        .toList();
  }

  private static KafkaQueue binding(QueuePolicy policy) {
    return new KafkaQueue(policy, policy.queue());
  }
}
