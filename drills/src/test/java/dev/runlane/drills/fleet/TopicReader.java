package dev.runlane.drills.fleet;

import dev.runlane.drills.history.TopicState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** Asks a broker what it has of a drill. Blocks. */
public final class TopicReader implements AutoCloseable {
  private static final long ANSWER_SECONDS = 60;

  private final Admin admin;

  public TopicReader(String servers) {
    admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers));
  }

  /** Everything; consistent only while nobody publishes. */
  TopicState read() {
    Map<TopicPartition, String> owners = owners();
    Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>(
        answer(admin.listConsumerGroupOffsets(DrillTopics.GROUP).partitionsToOffsetAndMetadata()));
    List<TopicState.Partition> partitions = new ArrayList<>();
    ends(DrillTopics.wakeups()).forEach((partition, end) -> {
      OffsetAndMetadata settled = committed.get(partition);
      partitions.add(new TopicState.Partition(
          partition.topic(),
          partition.partition(),
          end.offset(),
          settled == null ? 0 : settled.offset(),
          owners.get(partition)));
    });
    Map<String, Long> deadLetters = new HashMap<>();
    ends(DrillTopics.deadLetters())
        .forEach((partition, end) -> deadLetters.merge(partition.topic(), end.offset(), Long::sum));
    return new TopicState(partitions, deadLetters);
  }

  /** Which client has which partition. */
  Map<TopicPartition, String> owners() {
    Map<TopicPartition, String> owners = new HashMap<>();
    for (MemberDescription member : members()) {
      member
          .assignment()
          .topicPartitions()
          .forEach(partition -> owners.put(partition, member.clientId()));
    }
    return owners;
  }

  /** Whether the group has a member with this client name. */
  public boolean hasMember(String client) {
    return members().stream().anyMatch(member -> member.clientId().equals(client));
  }

  private List<MemberDescription> members() {
    return List.copyOf(
        answer(admin.describeConsumerGroups(List.of(DrillTopics.GROUP)).all())
            .get(DrillTopics.GROUP)
            .members());
  }

  private Map<TopicPartition, ListOffsetsResultInfo> ends(List<String> topics) {
    Map<TopicPartition, OffsetSpec> wanted = new LinkedHashMap<>();
    Map<String, TopicDescription> described =
        answer(admin.describeTopics(topics).allTopicNames());
    for (String topic : topics) {
      described
          .get(topic)
          .partitions()
          .forEach(
              each -> wanted.put(new TopicPartition(topic, each.partition()), OffsetSpec.latest()));
    }
    return answer(admin.listOffsets(wanted).all());
  }

  private static <T> T answer(KafkaFuture<T> future) {
    try {
      return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException failure) {
      throw new AssertionError("the broker does not answer", failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the broker was asked", interrupted);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }
}
