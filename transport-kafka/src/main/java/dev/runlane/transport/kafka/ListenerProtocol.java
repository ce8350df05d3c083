package dev.runlane.transport.kafka;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether brokers speak the protocol that clients are told to speak, which Kafka's clients do not find out. One in
 * clear text takes the first bytes of a TLS alert for the length of an answer, and asks for 352 MB of memory at each
 * try; the others try again until they give up, and do not know why. Says nothing of a protocol that clients do not
 * find in their properties themselves, but in a file or a variable. Blocks.
 */
final class ListenerProtocol {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerProtocol.class);

  /** How long all addresses together may take, and how long one. */
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private static final Duration LONGEST_OF_ONE = Duration.ofSeconds(1);
  private static final short API_VERSIONS = 18;
  private static final int CORRELATION = 0x52_55_4e_4c;
  private static final short NO_CLIENT_ID = -1;
  private static final int TLS_ALERT_OF_SSL_3_OR_LATER = 0x15_03;
  private static final int LONGEST_ANSWER = 1 << 20;

  private final String brokers;
  private final String told;
  private final boolean known;
  private final boolean encrypted;
  private final boolean authenticated;

  ListenerProtocol(KafkaTransportOptions options) {
    brokers = options.getBootstrapServers();
    told = options
        .getProperties()
        .getOrDefault(
            CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
            CommonClientConfigs.DEFAULT_SECURITY_PROTOCOL)
        .toUpperCase(Locale.ROOT);
    known = SecurityProtocol.names().contains(told);
    encrypted = told.endsWith(SecurityProtocol.SSL.name);
    authenticated = told.startsWith("SASL_");
  }

  /** What an address answers to a request in clear text. */
  private enum Answer {
    CLEAR_TEXT,
    TLS,
    NOT_KAFKA,
    NONE
  }

  /** Throws {@code ConfigurationInvalid} where a client in clear text would meet TLS, or no Kafka. */
  void check() {
    if (known && !encrypted) {
      contradiction(ask()).ifPresent(refusal -> {
        throw refusal;
      });
    }
  }

  /** Says more of clients that tried in vain until they gave up, where a broker tells more. */
  RunlaneException explained(RunlaneException failure) {
    if (!known) {
      return failure;
    }
    Answer answer = ask();
    return contradiction(answer)
        .map(refusal -> refusal.causedBy(failure))
        .orElseGet(() -> isAnswered(answer) && !authenticated ? namingSasl(failure) : failure);
  }

  private RunlaneException namingSasl(RunlaneException failure) {
    RunlaneException more = RunlaneException.unavailable(
        ErrorCode.TRANSPORT_UNAVAILABLE,
        failure,
        "%s; somebody listens there: brokers that ask who one is need a security.protocol of %s, not %s",
        String.valueOf(failure.getMessage()),
        encrypted ? SecurityProtocol.SASL_SSL : SecurityProtocol.SASL_PLAINTEXT,
        told);
    for (Map.Entry<String, String> entry : failure.meta().entrySet()) {
      more = more.withMeta(entry.getKey(), entry.getValue());
    }
    return more;
  }

  private boolean isAnswered(Answer answer) {
    return answer == (encrypted ? Answer.TLS : Answer.CLEAR_TEXT);
  }

  private Optional<RunlaneException> contradiction(Answer answer) {
    if (answer == Answer.TLS && !encrypted) {
      return Optional.of(RunlaneException.configurationInvalid(
          "Kafka at %s speaks TLS, but the clients are told a security.protocol of %s: it has to be SSL or SASL_SSL",
          brokers, told));
    }
    if (answer == Answer.CLEAR_TEXT && encrypted) {
      return Optional.of(RunlaneException.configurationInvalid(
          "Kafka at %s speaks clear text, but the clients are told a security.protocol of %s",
          brokers, told));
    }
    return answer == Answer.NOT_KAFKA && !encrypted
        ? Optional.of(RunlaneException.configurationInvalid(
            "what listens at %s does not speak as Kafka does", brokers))
        : Optional.empty();
  }

  /** The first answer that one of the addresses gives. */
  private Answer ask() {
    long end = System.nanoTime() + LONGEST.toNanos();
    for (String address : brokers.split(",", -1)) {
      long left = Math.min(LONGEST_OF_ONE.toNanos(), end - System.nanoTime());
      int millis = (int) Duration.ofNanos(left).toMillis();
      Answer answer = millis > 0 ? ask(address.strip(), millis) : Answer.NONE;
      if (answer != Answer.NONE) {
        return answer;
      }
    }
    return Answer.NONE;
  }

  private static Answer ask(String address, int millis) {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(millis);
      socket.connect(parsed(address), millis);
      new DataOutputStream(socket.getOutputStream()).write(apiVersions());
      DataInputStream answer = new DataInputStream(socket.getInputStream());
      int length = answer.readInt();
      if (length >>> Short.SIZE == TLS_ALERT_OF_SSL_3_OR_LATER) {
        return Answer.TLS;
      }
      return length > 0 && length < LONGEST_ANSWER && answer.readInt() == CORRELATION
          ? Answer.CLEAR_TEXT
          : Answer.NOT_KAFKA;
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException unanswered) {
      LOG.debug("{} does not answer a request in clear text", address, unanswered);
      return Answer.NONE;
    }
  }

  /** What is malformed is refused by Kafka's clients, which say so. */
  private static InetSocketAddress parsed(String address) {
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(address.indexOf("//") < 0 ? 0 : address.indexOf("//") + 2, colon),
        Integer.parseInt(address.substring(colon + 1)));
  }

  /** The one request that every broker answers, whoever asks: version 0 of ApiVersions. */
  private static byte[] apiVersions() {
    return ByteBuffer.allocate(14)
        .putInt(10) // the bytes that follow
        .putShort(API_VERSIONS)
        .putShort((short) 0)
        .putInt(CORRELATION)
        .putShort(NO_CLIENT_ID)
        .array();
  }
}
