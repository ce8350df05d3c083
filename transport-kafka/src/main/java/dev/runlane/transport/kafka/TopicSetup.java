package dev.runlane.transport.kafka;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/** Looks whether the topics of all bindings are there, and makes those that are not, where that is wanted. */
final class TopicSetup {
  private final Admin admin;
  private final Context context;
  private final KafkaTransportOptions options;

  TopicSetup(Admin admin, Context context, KafkaTransportOptions options) {
    this.admin = admin;
    this.context = context;
    this.options = options;
  }

  /** Completes when all topics exist. Fails with {@code ConfigurationInvalid} when one does not. */
  Future<Void> run() {
    Map<String, NewTopic> wanted = wanted();
    return future(admin.listTopics().names()).compose(existing -> {
      List<NewTopic> missing = wanted.entrySet().stream()
          .filter(topic -> !existing.contains(topic.getKey()))
          .map(Map.Entry::getValue)
          .toList();
      return options.getCreateTopics().isPresent() ? create(missing) : requireNone(missing);
    });
  }

  private Future<Void> requireNone(List<NewTopic> missing) {
    if (missing.isEmpty()) {
      return Future.succeededFuture();
    }
    throw RunlaneException.configurationInvalid(
        "Kafka has no topics %s, or this user may not see them; make them, or have them made with createTopics",
        missing.stream().map(NewTopic::name).toList());
  }

  private Future<Void> create(List<NewTopic> missing) {
    List<Future<Void>> created = new ArrayList<>();
    if (!missing.isEmpty()) {
      admin
          .createTopics(missing)
          .values()
          .values()
          .forEach(made -> created.add(future(made)
              .recover(failure -> KafkaFailures.unwrapped(failure) instanceof TopicExistsException
                  ? Future.succeededFuture() // another process was faster
                  : Future.failedFuture(failure))));
    }
    return Future.join(created).mapEmpty();
  }

  private Map<String, NewTopic> wanted() {
    KafkaTopicOptions topics = options.getCreateTopics().orElseGet(KafkaTopicOptions::new);
    Map<String, NewTopic> wanted = new LinkedHashMap<>();
    for (KafkaQueue queue : options.getQueues()) {
      wanted.put(
          queue.getTopic(),
          topic(queue.getTopic(), topics.getPartitions(), topics, topics.getRetention()));
      wanted.put(
          queue.getDeadLetterTopic(),
          topic(queue.getDeadLetterTopic(), 1, topics, topics.getDeadLetterRetention()));
    }
    return wanted;
  }

  private static NewTopic topic(
      String name, int partitions, KafkaTopicOptions topics, Duration retention) {
    return new NewTopic(
            name, Optional.of(partitions), topics.getReplicationFactor().map(Integer::shortValue))
        .configs(Map.of(
            TopicConfig.RETENTION_MS_CONFIG,
            String.valueOf(retention.toMillis()),
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_DELETE));
  }

  private <T> Future<T> future(KafkaFuture<T> stage) {
    return Future.fromCompletionStage(stage.toCompletionStage(), context);
  }
}
