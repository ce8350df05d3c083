package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.done;
import static dev.runlane.transport.kafka.Awaiting.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PartitionLag;
import dev.runlane.transport.PublishWakeups;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that speaks TLS, and asks who one is. */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class SecuredKafkaTest {
  private static final String SECURED = "SECURED";
  private static final String EXPIRED = "EXPIRED";
  private static final String PASSWORD = "s3cret-of-orders";
  private static final String WRONG = "s3cret-of-others";

  @TempDir
  private static Path folder;

  private static Path trusted;
  private static Path valid;
  private static Path expired;
  private static Path shown;
  private static EmbeddedKafka broker;

  private final ConsumerScene scene =
      new ConsumerScene(broker.bootstrapServers(), secured(), plain(PASSWORD));

  @BeforeAll
  static void startBroker() throws IOException {
    Certificates certificates = new Certificates(folder);
    trusted = certificates.authority();
    valid = certificates.valid();
    expired = certificates.expired();
    shown = Files.copy(valid, folder.resolve("shown.pem"));
    EmbeddedKafka.Builder builder = EmbeddedKafka.builder();
    listener(builder, SECURED, shown);
    listener(builder, EXPIRED, expired);
    broker = builder.start();
  }

  private static void listener(EmbeddedKafka.Builder builder, String name, Path certificate) {
    String prefix = "listener.name." + name.toLowerCase(Locale.ROOT) + ".";
    builder
        .listener(name, "SASL_SSL")
        .setting(prefix + "ssl.keystore.type", "PEM")
        .setting(prefix + "ssl.keystore.location", certificate.toString())
        .setting(prefix + "sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256")
        .setting(
            prefix + "plain.sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required user_orders=\""
                + PASSWORD + "\";")
        .setting(
            prefix + "scram-sha-256.sasl.jaas.config",
            "org.apache.kafka.common.security.scram.ScramLoginModule required;");
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  private static String secured() {
    return broker.bootstrapServers(SECURED);
  }

  private static Map<String, String> tls() {
    Map<String, String> properties = new HashMap<>();
    properties.put("security.protocol", "SSL");
    properties.put("ssl.truststore.type", "PEM");
    properties.put("ssl.truststore.location", trusted.toString());
    return properties;
  }

  private static Map<String, String> sasl(String mechanism, String module, String password) {
    Map<String, String> properties = tls();
    properties.put("security.protocol", "SASL_SSL");
    properties.put("sasl.mechanism", mechanism);
    properties.put(
        "sasl.jaas.config",
        "org.apache.kafka.common.security." + module + " required username=\"orders\" password=\""
            + password + "\";");
    return properties;
  }

  private static Map<String, String> plain(String password) {
    return sasl("PLAIN", "plain.PlainLoginModule", password);
  }

  private static Map<String, String> scram(String password) {
    return sasl("SCRAM-SHA-256", "scram.ScramLoginModule", password);
  }

  private KafkaTransportOptions options(String servers, Map<String, String> properties) {
    return new KafkaTransportOptions()
        .setBootstrapServers(servers)
        .setProperties(properties)
        .addQueue(new KafkaQueue(QueuePolicy.unbounded("mail"), scene.topic))
        .setPublishTimeout(ConsumerScene.PUBLISH_TIMEOUT);
  }

  private KafkaTransport transport(KafkaTransportOptions options) {
    return KafkaTransport.create(scene.vertx, options);
  }

  private RunlaneException refusal(String servers, Map<String, String> properties) {
    return failure(transport(options(servers, properties)).start());
  }

  /** Why a probe fails. One that a busy machine gives no answer in its two seconds is sent again. */
  private RunlaneException unready(KafkaTransport transport, String why) {
    AtomicReference<RunlaneException> last = new AtomicReference<>();
    scene.until("a probe says " + why, () -> {
      last.set(failure(transport.probe().orElseThrow().probe()));
      return last.get().getMessage().contains(why);
    });
    return last.get();
  }

  private static PublishWakeups wakeup(String runId) {
    return new PublishWakeups(List.of(new PublishWakeups.Attempt(
        "msg_" + runId,
        "tok_1",
        new DeliveryMessage(new Environment("test"), runId, "mail", Instant.EPOCH, null))));
  }

  private static String told(Throwable failure) {
    StringWriter all = new StringWriter();
    failure.printStackTrace(new PrintWriter(all));
    return all.toString();
  }

  @Test
  void wakeups_dead_letters_lags_and_probes_go_over_tls_with_a_password() {
    ScriptedWorker worker = new ScriptedWorker();
    KafkaTransport transport = scene.transport(scene.options());

    scene.topics.write(scene.topic, 0, List.of(new byte[] {1}));
    scene.publish("run_1");
    scene.join(transport, worker, 1);
    scene.untilNoLag();
    Awaiting.answered(scene.vertx, transport);

    assertThat(worker.runIds()).containsExactly("run_1");
    assertThat(transport.deliveryCounts().deadLettered()).isEqualTo(1);
    scene.until("lags are told", () -> transport.lags().size() == ConsumerScene.PARTITIONS);
    assertThat(transport.lags()).extracting(PartitionLag::records).containsOnly(0L);
  }

  @Test
  void a_password_may_be_in_a_file_that_the_properties_name_alone() throws IOException {
    Path secrets = Files.writeString(folder.resolve("secrets.properties"), "password=" + PASSWORD);
    Map<String, String> properties = plain("${file:" + secrets + ":password}");
    properties.put("config.providers", "file");
    properties.put(
        "config.providers.file.class",
        "org.apache.kafka.common.config.provider.FileConfigProvider");

    KafkaTransport transport = transport(options(secured(), properties));
    done(transport.start());

    assertThat(done(transport.publishWakeups(wakeup("run_1"))))
        .allMatch(each -> each.isPublished());
    done(transport.close());
  }

  @Test
  void a_password_of_scram_is_asked_for_too() {
    Topics.answer(scene
        .topics
        .admin()
        .alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
            "orders", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), PASSWORD)))
        .all());

    KafkaTransport transport = transport(options(secured(), scram(PASSWORD)));
    scene.until("the broker knows it", () -> transport
        .start()
        .transform(started -> Future.succeededFuture(started.succeeded()))
        .await());

    assertThat(done(transport.publishWakeups(wakeup("run_1"))))
        .allMatch(each -> each.isPublished());
    assertThat(refusal(secured(), scram(WRONG))).hasMessageContaining("invalid credentials");
    done(transport.close());
  }

  @Test
  void a_wrong_password_is_told_in_the_words_of_the_broker_and_without_it() {
    RunlaneException failure = refusal(secured(), plain(WRONG));

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(failure).hasMessageContaining("Invalid username or password");
    assertThat(told(failure)).doesNotContain(WRONG);

    KafkaTransport later = transport(options(secured(), plain(WRONG)).setBrokerRequired(false));
    done(later.start());
    RunlaneException unpublished = failure(later.publishWakeups(wakeup("run_1")));
    RunlaneException unanswered = unready(later, "Invalid username or password");

    assertThat(unpublished.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(unpublished).hasMessageContaining("Invalid username or password");
    assertThat(List.of(failure, unpublished, unanswered))
        .extracting(each -> each.meta().get("providerCode"))
        .containsOnly("SaslAuthenticationException");
    assertThat(told(unpublished) + told(unanswered)).doesNotContain(WRONG);
    done(later.close());
  }

  @Test
  void a_certificate_that_is_expired_or_of_a_stranger_is_told() {
    Map<String, String> jvm = plain(PASSWORD);
    jvm.remove("ssl.truststore.location");
    jvm.remove("ssl.truststore.type");

    RunlaneException late = refusal(broker.bootstrapServers(EXPIRED), plain(PASSWORD));
    RunlaneException strange = refusal(secured(), jvm);

    assertThat(late.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(late).hasMessageContaining("NotAfter");
    assertThat(strange.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(strange).hasMessageContaining("unable to find valid certification path");
  }

  @Test
  void a_client_that_speaks_another_protocol_than_the_broker_is_told_so() {
    RunlaneException clear = refusal(secured(), Map.of());
    RunlaneException encrypted =
        failure(transport(impatient(broker.bootstrapServers(), tls())).start());
    RunlaneException nameless =
        failure(transport(impatient(secured(), tls()).setBrokerRequired(true)).start());

    assertThat(clear.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(clear).hasMessageContaining("speaks TLS");
    assertThat(encrypted.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(encrypted).hasMessageContaining("speaks clear text");
    assertThat(nameless.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(nameless).hasMessageContaining("need a security.protocol of SASL_SSL, not SSL");
    assertThat(nameless.meta()).containsEntry("providerCode", "TimeoutException");
  }

  /** Some of these mistakes are met only by waiting. */
  private KafkaTransportOptions impatient(String servers, Map<String, String> properties) {
    return options(servers, properties)
        .setBrokerRequired(false)
        .setStartTimeout(Duration.ofSeconds(3));
  }

  @Test
  void publishing_and_consuming_go_on_once_a_certificate_that_expired_is_replaced()
      throws IOException {
    ScriptedWorker worker = new ScriptedWorker();
    KafkaTransport transport = transport(options(secured(), plain(PASSWORD))
        .setPublishTimeout(Duration.ofSeconds(3))
        .setConsumer(scene.options()));
    done(transport.start());
    String id = scene.join(transport, worker, 1);
    scene.publish("before");
    scene.until("it is delivered", () -> worker.runIds().contains("before"));

    broker.kill();
    Files.copy(expired, shown, StandardCopyOption.REPLACE_EXISTING);
    broker.restart();
    RunlaneException failure = failure(transport.publishWakeups(wakeup("meanwhile")));
    RunlaneException unready = unready(transport, "NotAfter");
    show(valid);
    scene.publish("after");
    scene.untilNoLag();

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(unready.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(worker.runIds()).contains("after");
    done(scene.vertx.undeploy(id));
    done(transport.close());
  }

  /** From now on, to who connects anew. */
  private void show(Path certificate) {
    ConfigEntry location =
        new ConfigEntry("listener.name.secured.ssl.keystore.location", certificate.toString());
    Topics.answer(scene
        .topics
        .admin()
        .incrementalAlterConfigs(Map.of(
            new ConfigResource(ConfigResource.Type.BROKER, "1"),
            List.of(new AlterConfigOp(location, AlterConfigOp.OpType.SET))))
        .all());
  }
}
