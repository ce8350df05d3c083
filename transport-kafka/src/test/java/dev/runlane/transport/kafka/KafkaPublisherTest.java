package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.assertFails;
import static dev.runlane.transport.kafka.Awaiting.done;
import static dev.runlane.transport.kafka.Awaiting.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.json.JsonValues;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class KafkaPublisherTest {
  /** For how long a record looks for a broker, a third of the publish timeout. */
  private static final Duration BLOCKED = Duration.ofSeconds(2);

  private static final String NOBODY = "localhost:1"; // no port that systems give away

  private final Vertx vertx = Vertx.vertx();
  private final String name = "publisher-" + UUID.randomUUID();
  private final List<KafkaTransport> transports = new ArrayList<>();

  @AfterEach
  void close() {
    transports.forEach(transport -> done(transport.close()));
    done(vertx.close());
  }

  private KafkaTransportOptions options() {
    return new KafkaTransportOptions()
        .setBootstrapServers(Brokers.shared())
        .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), name + "-mail"))
        .addQueue(new KafkaQueue(QueuePolicy.bounded("payments", 3), name + "-payments")
            .setKey(KafkaRecordKey.CONCURRENCY_KEY))
        .setCreateTopics(new KafkaTopicOptions().setPartitions(2))
        .setPublishTimeout(Duration.ofSeconds(50));
  }

  /** For what waits until a record is given up; a third of it is for the look for brokers. */
  private KafkaTransportOptions impatient() {
    return options().setPublishTimeout(BLOCKED.multipliedBy(3));
  }

  /** For what finds none, and need not. */
  private KafkaTransportOptions withoutBroker() {
    return options()
        .setBootstrapServers(NOBODY)
        .setBrokerRequired(false)
        .setStartTimeout(Duration.ofSeconds(1));
  }

  private KafkaTransport transport(KafkaTransportOptions options) {
    KafkaTransport transport = KafkaTransport.create(vertx, options);
    transports.add(transport);
    return transport;
  }

  private KafkaTransport started(KafkaTransportOptions options) {
    KafkaTransport transport = transport(options);
    done(transport.start());
    return transport;
  }

  private static PublishWakeups.Attempt attempt(String runId, String queue, String groupKey) {
    return new PublishWakeups.Attempt(
        "msg_" + runId,
        "tok_1",
        new DeliveryMessage(
            new Environment("production"), runId, queue, Instant.EPOCH, Map.of("trace", runId)),
        groupKey);
  }

  private static PublishWakeups mail(String... runIds) {
    return new PublishWakeups(
        List.of(runIds).stream().map(runId -> attempt(runId, "mail", null)).toList());
  }

  private static FailureRecord failed(WakeupPublishOutcome outcome) {
    return ((WakeupPublishOutcome.Failed) outcome).failure();
  }

  @Test
  void a_queue_says_what_its_records_are_keyed_by() {
    KafkaTransport transport = started(options());

    done(transport.publishWakeups(new PublishWakeups(List.of(
        attempt("run_1", "mail", "customer-7"),
        attempt("run_2", "payments", "customer-7"),
        attempt("run_3", "payments", null)))));

    try (Topics topics = new Topics(Brokers.shared())) {
      assertThat(topics.records(name + "-mail"))
          .extracting(record -> record.key())
          .containsExactly("run_1");
      assertThat(topics.records(name + "-payments"))
          .extracting(record -> record.key())
          .containsExactlyInAnyOrder("customer-7", "run_3");
    }
  }

  @Test
  void a_published_wakeup_is_named_by_its_place() {
    KafkaTransport transport = started(options());

    List<WakeupPublishOutcome> outcomes = done(transport.publishWakeups(mail("run_1")));

    assertThat(((WakeupPublishOutcome.Published) outcomes.get(0)).providerMessageId())
        .matches(name + "-mail/[01]/0");
  }

  @Test
  void a_record_that_is_too_large_fails_alone_and_for_good() {
    KafkaTransport transport =
        started(options().setProducerProperties(Oversizing.properties(name)));
    Oversizing.next(name, 1);

    List<WakeupPublishOutcome> outcomes = done(transport.publishWakeups(mail("run_1", "run_2")));

    FailureRecord refused = failed(outcomes.get(0));
    assertThat(refused.code()).isEqualTo(ErrorCode.TRANSPORT_PUBLISH_FAILED);
    assertThat(refused.retryable()).isFalse();
    assertThat(refused.meta())
        .isEqualTo(JsonValues.object(
            Map.of("provider", "kafka", "providerCode", "RecordTooLargeException")));
    assertThat(outcomes.get(1).isPublished()).isTrue();
  }

  @Test
  void an_unknown_topic_fails_its_own_records_alone_and_may_come_back() {
    KafkaTransport transport = started(impatient());
    try (Topics topics = new Topics(Brokers.shared())) {
      topics.delete(name + "-payments");
      Awaiting.until(vertx, "the topic is gone", () -> isUnknown(transport, "payments"));

      List<WakeupPublishOutcome> outcomes = done(transport.publishWakeups(new PublishWakeups(
          List.of(attempt("run_1", "payments", null), attempt("run_2", "mail", null)))));

      FailureRecord refused = failed(outcomes.get(0));
      assertThat(refused.code()).isEqualTo(ErrorCode.TRANSPORT_PUBLISH_FAILED);
      assertThat(refused.retryable()).isTrue();
      assertThat(refused.meta())
          .isEqualTo(JsonValues.object(
              Map.of("provider", "kafka", "providerCode", "UnknownTopicOrPartitionException")));
      assertThat(outcomes.get(1).isPublished()).isTrue();
    }
  }

  private static boolean isUnknown(KafkaTransport transport, String queue) {
    return done(transport
        .publishWakeups(new PublishWakeups(List.of(attempt("run_1", queue, null))))
        .transform((outcomes, failure) ->
            Future.succeededFuture(failure == null && !outcomes.get(0).isPublished())));
  }

  @Test
  void several_missing_topics_are_learned_of_at_once_and_keep_nobody_waiting() {
    KafkaTransportOptions options =
        impatient().setProducerProperties(Intercepting.properties(name));
    List<String> gone = List.of("queue-1", "queue-2", "queue-3");
    gone.forEach(queue ->
        options.addQueue(new KafkaQueue(QueuePolicy.unbounded(queue), name + "-" + queue)));
    KafkaTransport transport = started(options);
    try (Topics topics = new Topics(Brokers.shared())) {
      for (String queue : gone) {
        topics.delete(name + "-" + queue);
        Awaiting.until(vertx, "the topic is gone", () -> topics.isGone(name + "-" + queue));
      }
      Awaiting.until(vertx, "one is looked for in vain", () -> isUnknown(transport, "queue-1"));
      Intercepting.topics(name).clear();

      List<WakeupPublishOutcome> outcomes =
          done(transport.publishWakeups(new PublishWakeups(List.of(
              attempt("run_1", "queue-1", null),
              attempt("run_2", "queue-2", null),
              attempt("run_3", "queue-3", null),
              attempt("run_4", "mail", null)))));

      assertThat(outcomes.subList(0, 3))
          .allSatisfy(outcome -> assertThat(failed(outcome).meta())
              .isEqualTo(JsonValues.object(Map.of(
                  "provider", "kafka", "providerCode", "UnknownTopicOrPartitionException"))));
      assertThat(outcomes.get(3).isPublished()).isTrue();
      assertThat(Intercepting.topics(name)).containsExactly(name + "-mail");

      topics.create(name + "-queue-2", 1);
      Awaiting.until(vertx, "it is found again", () -> isPublished(transport, "run_5", "queue-2"));
    }
  }

  @Test
  void a_broker_that_is_not_there_fails_the_call_and_blocks_no_event_loop() {
    KafkaTransport transport = started(withoutBroker().setPublishTimeout(BLOCKED.multipliedBy(8)));
    Promise<RunlaneException> failed = Promise.promise();
    Promise<Boolean> freeBefore = Promise.promise();

    vertx.runOnContext(turn -> {
      Future<List<WakeupPublishOutcome>> publish = transport.publishWakeups(mail("run_1", "run_2"));
      publish.onFailure(failure -> failed.complete((RunlaneException) failure));
      vertx.runOnContext(next -> freeBefore.complete(!publish.isComplete()));
    });

    assertThat(done(freeBefore.future())).isTrue();
    assertThat(done(failed.future()).code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(done(failed.future()).isRetryable()).isTrue();
    assertThat(done(failed.future())).hasMessageContaining(NOBODY);
  }

  @Test
  void an_outage_is_waited_for_once_a_command_however_many_queues_it_has() {
    KafkaTransportOptions options = withoutBroker();
    List<PublishWakeups.Attempt> attempts = new ArrayList<>();
    for (int queue = 1; queue <= 20; queue++) {
      String named = "queue-" + queue;
      options.addQueue(new KafkaQueue(QueuePolicy.unbounded(named), name + "-" + named));
      attempts.add(attempt("run_" + queue, named, null));
    }
    KafkaTransport transport = started(options.setPublishTimeout(BLOCKED.multipliedBy(3)));
    long began = System.nanoTime();

    assertFails(
        ErrorCode.TRANSPORT_UNAVAILABLE, transport.publishWakeups(new PublishWakeups(attempts)));

    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .as("once takes one wait, and each by itself twenty")
        .isBetween(BLOCKED.dividedBy(2), BLOCKED.multipliedBy(10));
  }

  @Test
  void a_producer_whose_thread_died_fails_what_it_had_and_is_replaced() {
    KafkaTransport transport =
        started(impatient().setProducerProperties(Intercepting.properties(name)));
    Intercepting.next(name, () -> {
      throw new StackOverflowError("in the producer's own thread");
    });

    assertFails(ErrorCode.TRANSPORT_UNAVAILABLE, transport.publishWakeups(mail("run_1")));

    Awaiting.until(vertx, "another is published", () -> isPublished(transport, "run_2", "mail"));
  }

  @Test
  void a_producer_whose_thread_hangs_is_replaced_although_it_cannot_be_closed() {
    CountDownLatch hanging = new CountDownLatch(1);
    KafkaTransport transport =
        started(impatient().setProducerProperties(Intercepting.properties(name)));
    Intercepting.next(name, () -> {
      try {
        hanging.await();
      } catch (InterruptedException end) {
        throw new IllegalStateException(end);
      }
    });
    try {
      assertFails(ErrorCode.TRANSPORT_UNAVAILABLE, transport.publishWakeups(mail("run_1")));

      Awaiting.until(vertx, "another is published", () -> isPublished(transport, "run_2", "mail"));
    } finally {
      hanging.countDown();
    }
  }

  private static boolean isPublished(KafkaTransport transport, String runId, String queue) {
    return done(transport
        .publishWakeups(new PublishWakeups(List.of(attempt(runId, queue, null))))
        .transform((outcomes, failure) ->
            Future.succeededFuture(failure == null && outcomes.get(0).isPublished())));
  }

  @Test
  void a_probe_is_answered_by_the_broker_and_fails_where_there_is_none() {
    KafkaTransport reached = started(options());
    KafkaTransport alone = started(withoutBroker());

    Awaiting.answered(vertx, reached);
    RunlaneException failure = failure(alone.probe().orElseThrow().probe());

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
  }

  @Test
  void starting_needs_a_broker_unless_it_is_told_otherwise() {
    RunlaneException failure =
        failure(transport(withoutBroker().setBrokerRequired(true)).start());

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
    assertThat(failure).hasMessageContaining(NOBODY);
  }

  @Test
  void properties_that_kafka_refuses_are_an_invalid_configuration() {
    assertFails(
        ErrorCode.CONFIGURATION_INVALID,
        transport(options().setProducerProperties(Map.of("linger.ms", "soon"))).start());
  }

  @Test
  void a_file_that_is_not_there_is_an_invalid_configuration_that_names_it() {
    RunlaneException failure = failure(transport(options()
            .setBrokerRequired(false)
            .setProperties(Map.of(
                "security.protocol", "SSL", "ssl.truststore.location", "/nowhere/trust.jks")))
        .start());

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure).hasMessageContaining("/nowhere/trust.jks");
  }

  @Test
  void a_login_that_is_malformed_is_an_invalid_configuration_that_tells_no_password() {
    RunlaneException failure = failure(transport(options()
            .setBrokerRequired(false)
            .setProperties(Map.of(
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required"
                    + " username=\"orders\" password=\"s3cret\"")))
        .start());

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure).hasMessageContaining("semi-colon").hasMessageNotContaining("s3cret");
  }

  @Test
  void a_password_that_is_not_in_quotes_is_an_invalid_configuration_that_tells_no_part_of_it() {
    RunlaneException failure = failure(transport(options()
            .setProperties(Map.of(
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required"
                    + " username=orders password=top s3cret;")))
        .start());

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure).hasMessageContaining("double quotes").hasMessageNotContaining("s3cret");
    assertThat(failure).as("what a log would print of it").hasNoCause();
  }

  @Test
  void another_broker_of_the_list_is_found_where_the_first_is_dead() {
    KafkaTransport transport =
        started(options().setBootstrapServers(NOBODY + "," + Brokers.shared()));

    assertThat(done(
            transport.publishWakeups(new PublishWakeups(List.of(attempt("run_1", "mail", null))))))
        .allMatch(WakeupPublishOutcome::isPublished);
    Awaiting.answered(vertx, transport);
  }

  @Test
  void a_name_that_cannot_be_resolved_is_an_outage() {
    RunlaneException failure =
        failure(transport(options().setBootstrapServers("nobody.invalid:9092")).start());

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
  }

  @Test
  void what_a_broker_refuses_at_the_start_is_an_invalid_configuration_in_its_own_words() {
    RunlaneException failure = failure(transport(options()
            .setBrokerRequired(false)
            .setCreateTopics(new KafkaTopicOptions().setReplicationFactor(3)))
        .start());

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure)
        .hasMessageContaining("InvalidReplicationFactorException")
        .hasMessageContaining("replication factor");
  }

  @Test
  void topics_are_made_as_wanted_and_those_that_exist_are_left() {
    try (Topics topics = new Topics(Brokers.shared())) {
      topics.create(name + "-payments", 1);

      started(options()
          .setCreateTopics(
              new KafkaTopicOptions().setPartitions(5).setRetention(Duration.ofHours(3))));

      assertThat(topics.partitions(name + "-mail")).isEqualTo(5);
      assertThat(topics.partitions(name + "-mail.dead-letter")).isEqualTo(1);
      assertThat(topics.partitions(name + "-payments")).isEqualTo(1);
      ConfigResource mail = new ConfigResource(ConfigResource.Type.TOPIC, name + "-mail");
      assertThat(Topics.answer(topics.admin().describeConfigs(List.of(mail)).all())
              .get(mail)
              .get(TopicConfig.RETENTION_MS_CONFIG)
              .value())
          .isEqualTo("10800000");
    }
  }

  @Test
  void a_missing_topic_that_is_not_to_be_made_fails_the_start() {
    KafkaTransportOptions options = new KafkaTransportOptions()
        .setBootstrapServers(Brokers.shared())
        .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), name));

    assertFails(ErrorCode.CONFIGURATION_INVALID, transport(options).start());
  }

  @Test
  void publishing_before_the_start_and_after_the_end_fails_and_may_be_tried_again() {
    KafkaTransport transport = transport(options());

    RunlaneException before = failure(transport.publishWakeups(mail("run_1")));
    done(Future.all(transport.start(), transport.start()));
    assertThat(done(transport.publishWakeups(mail("run_1")))).hasSize(1);
    done(transport.close());
    RunlaneException after = failure(transport.publishWakeups(mail("run_1")));

    assertThat(List.of(before, after)).allSatisfy(failure -> {
      assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
      assertThat(failure.isRetryable()).isTrue();
    });
    done(transport.start());
    assertThat(done(transport.publishWakeups(mail("run_2")))).hasSize(1);
  }

  @Test
  void publishing_goes_on_after_the_verticle_that_started_it_is_undeployed() {
    KafkaTransport transport = transport(options());
    String verticle = done(vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        return transport.start();
      }
    }));
    done(vertx.undeploy(verticle));

    assertThat(done(transport.publishWakeups(mail("run_1"))))
        .allMatch(WakeupPublishOutcome::isPublished);
  }

  @Test
  void it_lists_its_bindings_and_promises_what_kafka_keeps() {
    KafkaTransport transport = transport(options());

    assertThat(transport.queues().orElseThrow())
        .containsExactly(QueuePolicy.unbounded("mail"), QueuePolicy.bounded("payments", 3));
    assertThat(transport.capabilities())
        .containsExactlyInAnyOrder(
            TransportCapability.DURABLE_DELIVERY, TransportCapability.MESSAGE_GROUPING);
    assertThat(transport.wakeups()).isEmpty();
    assertThat(transport.deliveries()).contains(transport);
  }
}
