package dev.runlane.runtime.alert;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.mail.MailClient;
import io.vertx.ext.mail.MailConfig;
import io.vertx.ext.mail.MailMessage;
import io.vertx.ext.mail.MailResult;
import io.vertx.ext.mail.StartTLSOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells people by e-mail: one message with {@link AlertNotice#subject} and {@link AlertNotice#text} to all recipients,
 * whose {@code Message-ID} is the same however often it is sent. A recipient that the server refuses is left out and
 * named in the log; where it refuses all, the channel has failed. The application adds {@code
 * io.vertx:vertx-mail-client}.
 */
public final class MailChannel implements AlertChannel {
  private static final Logger LOG = LoggerFactory.getLogger(MailChannel.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MOST_RECIPIENTS = 50;
  private static final int LONGEST_ADDRESS = 254; // RFC 5321, 4.5.3.1
  private static final int LONGEST_SUBJECT = 200;
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1", "[::1]");
  private static final Pattern ADDRESS =
      Pattern.compile("[\\p{Alnum}.!#$%&'*+/=?^_`{|}~-]+@[\\p{Alnum}][\\p{Alnum}.-]*");
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\u2028\\u2029]+");

  private final String name;
  private final MailConfig config;
  private final String from;
  private final List<String> recipients;
  private final AtomicInteger sending = new AtomicInteger();
  private @Nullable MailClient client;

  private MailChannel(String name, MailConfig config, String from, List<String> recipients) {
    this.name = name;
    this.config = config;
    this.from = from;
    this.recipients = recipients;
  }

  /**
   * A channel. Throws {@code ConfigurationInvalid} for an address that is none, and for a password that would be sent
   * to another machine without TLS.
   *
   * @param name by which rules call it
   * @param server the SMTP server, copied; a server with TLS has to have a certificate for its name, unless all are
   *     trusted. A connection is used once, and no step of it takes longer than 10 s.
   * @param from the address that sends
   * @param recipients 1 to 50 addresses, without names
   */
  public static MailChannel to(
      String name, MailConfig server, String from, List<String> recipients) {
    OptionChecks.requireId("a channel's name", name);
    requireAddress(name, from);
    recipients.forEach(each -> requireAddress(name, each));
    if (recipients.isEmpty() || recipients.size() > MOST_RECIPIENTS) {
      throw RunlaneException.configurationInvalid(
          "channel %s must have from 1 to %d recipients, but has %d",
          name, MOST_RECIPIENTS, recipients.size());
    }
    MailConfig config = bounded(server);
    boolean isEncrypted = config.isSsl() || config.getStarttls() == StartTLSOptions.REQUIRED;
    if (config.getPassword() != null && !isEncrypted && !LOOPBACK.contains(config.getHostname())) {
      throw RunlaneException.configurationInvalid(
          "the password of channel %s needs a server with TLS: setSsl, or setStarttls(REQUIRED)",
          name);
    }
    return new MailChannel(name, config, from, List.copyOf(recipients));
  }

  private static MailConfig bounded(MailConfig server) {
    MailConfig config = new MailConfig(server)
        .setConnectTimeout((int) TIMEOUT.toMillis())
        .setIdleTimeout((int) TIMEOUT.toSeconds())
        .setIdleTimeoutUnit(TimeUnit.SECONDS)
        .setKeepAlive(false)
        .setMaxPoolSize(AlertWatch.AT_ONCE)
        .setAllowRcptErrors(true)
        .setLogActivity(false); // which would log the password
    if (config.getHostnameVerificationAlgorithm().isEmpty() && !config.isTrustAll()) {
      config.setHostnameVerificationAlgorithm("HTTPS");
    }
    return config;
  }

  private static void requireAddress(String channel, String address) {
    if (address.length() > LONGEST_ADDRESS || !ADDRESS.matcher(address).matches()) {
      throw RunlaneException.configurationInvalid(
          "an address of channel %s must be like ops@example.org, without a name", channel);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Future<Void> tell(Vertx vertx, AlertNotice notice) {
    if (client == null) {
      client = MailClient.create(vertx, config);
    }
    // What waits in the client's own pool is sent whenever that is, also when it was given up and
    // is told again.
    if (sending.incrementAndGet() > AlertWatch.AT_ONCE) {
      sending.decrementAndGet();
      return Future.failedFuture(RunlaneException.of(
          ErrorCode.TRANSPORT_UNAVAILABLE, "the server has not answered for what it got before"));
    }
    return client
        .sendMail(message(notice))
        .onComplete(sent -> sending.decrementAndGet())
        .compose(this::accepted);
  }

  private MailMessage message(AlertNotice notice) {
    String domain = from.substring(from.indexOf('@') + 1);
    return new MailMessage()
        .setFrom(from)
        .setTo(recipients)
        .setSubject(line(notice.subject()))
        .setText(notice.text())
        .addHeader("Message-ID", "<" + notice.deliveryId().replace(':', '.') + "@" + domain + ">")
        .addHeader("Auto-Submitted", "auto-generated");
  }

  /** A name of a queue may hold what would begin another header. */
  private static String line(String text) {
    String line = CONTROL.matcher(text).replaceAll(" ");
    return line.length() <= LONGEST_SUBJECT ? line : line.substring(0, LONGEST_SUBJECT - 1) + "…";
  }

  private Future<Void> accepted(MailResult result) {
    Set<String> refused = new HashSet<>(recipients);
    result.getRecipients().forEach(refused::remove);
    if (refused.size() == recipients.size()) {
      return Future.failedFuture(RunlaneException.of(
          ErrorCode.TRANSPORT_PUBLISH_FAILED, "the server refused all recipients"));
    }
    if (!refused.isEmpty()) {
      LOG.warn("channel {} left out {}, whom the server refused", name, refused);
    }
    return Future.succeededFuture();
  }

  /** Closes the client; whoever tells afterwards opens a new one. */
  @Override
  public Future<Void> close() {
    MailClient open = client;
    client = null;
    return open == null ? Future.succeededFuture() : open.close();
  }

  /** Without server, user and password. */
  @Override
  public String toString() {
    return "MailChannel[" + name + "]";
  }
}
