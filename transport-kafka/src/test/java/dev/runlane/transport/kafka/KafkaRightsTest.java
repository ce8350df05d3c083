package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A broker that asks everybody for rights to what anybody was given a right to. It knows no users apart, so the rights
 * that it and the test itself need are given too.
 */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class KafkaRightsTest {
  private static final String EVERYBODY = "User:ANONYMOUS";

  private static EmbeddedKafka broker;

  private final ConsumerScene scene = new ConsumerScene(broker.bootstrapServers());

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedKafka.builder()
        .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
        .setting("allow.everyone.if.no.acl.found", "true")
        .start();
  }

  @AfterEach
  void takeBack() {
    Topics.answer(scene.topics.admin().deleteAcls(List.of(AclBindingFilter.ANY)).all());
    scene.until("nobody needs rights", () -> rights().isEmpty());
    scene.close();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  private void give(ResourceType type, String name, AclOperation... operations) {
    give(EVERYBODY, type, name, operations);
  }

  private void give(String user, ResourceType type, String name, AclOperation... operations) {
    List<AclBinding> rights = Stream.of(operations)
        .map(operation -> new AclBinding(
            new ResourcePattern(type, name, PatternType.LITERAL),
            new AccessControlEntry(user, "*", operation, AclPermissionType.ALLOW)))
        .toList();
    Topics.answer(scene.topics.admin().createAcls(rights).all());
    scene.until("the broker knows them", () -> rights().containsAll(rights));
  }

  /** Those that the broker knows, and not its controller alone. */
  private Collection<AclBinding> rights() {
    return Topics.answer(scene.topics.admin().describeAcls(AclBindingFilter.ANY).values());
  }

  /** No topic can be made any more; what is for the cluster is for the broker and for this test. */
  private void closeCluster() {
    give(
        ResourceType.CLUSTER,
        Resource.CLUSTER_NAME,
        AclOperation.CLUSTER_ACTION,
        AclOperation.DESCRIBE,
        AclOperation.ALTER);
  }

  @Test
  void the_rights_of_the_readme_are_enough_for_publishing_consuming_and_dead_letters() {
    give(
        ResourceType.TOPIC,
        scene.topic,
        AclOperation.DESCRIBE,
        AclOperation.WRITE,
        AclOperation.READ);
    give(
        ResourceType.TOPIC,
        scene.topic + ".dead-letter",
        AclOperation.DESCRIBE,
        AclOperation.WRITE);
    give(ResourceType.GROUP, scene.topic, AclOperation.READ, AclOperation.DESCRIBE);
    closeCluster();
    ScriptedWorker worker = new ScriptedWorker();
    KafkaTransport transport = scene.transport(scene.options());

    scene.topics.write(scene.topic, 0, List.of(new byte[] {1}));
    scene.publish("run_1");
    scene.join(transport, worker, 1);
    scene.untilNoLag();

    assertThat(worker.runIds()).containsExactly("run_1");
    assertThat(transport.deliveryCounts().deadLettered()).isEqualTo(1);
  }

  @Test
  void without_rights_the_start_fails_as_an_invalid_configuration() {
    String secret = scene.topic + "-secret";
    give("User:somebody", ResourceType.TOPIC, secret, AclOperation.ALL);
    closeCluster();
    KafkaTransportOptions options = new KafkaTransportOptions()
        .setBootstrapServers(broker.bootstrapServers())
        .setBrokerRequired(false)
        .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), secret)
            .setDeadLetterTopic(scene.topic + ".dead-letter"));

    RunlaneException unseen =
        failure(KafkaTransport.create(scene.vertx, options).start());
    RunlaneException unmade =
        failure(KafkaTransport.create(scene.vertx, options.setCreateTopics(new KafkaTopicOptions()))
            .start());

    assertThat(unseen.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(unseen).hasMessageContaining("may not see").hasMessageContaining(secret);
    assertThat(unmade.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(unmade).hasMessageContaining("TopicAuthorizationException");
  }
}
