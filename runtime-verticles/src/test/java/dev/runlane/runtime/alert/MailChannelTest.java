package dev.runlane.runtime.alert;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.alert.AlertChange;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.memory.MemoryLane;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.ext.mail.MailConfig;
import io.vertx.ext.mail.StartTLSOptions;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.subethamail.smtp.auth.EasyAuthenticationHandlerFactory;
import org.subethamail.smtp.auth.LoginFailedException;
import org.subethamail.smtp.server.SMTPServer;
import org.subethamail.wiser.Wiser;
import org.subethamail.wiser.WiserMessage;

/** Alerts as a real mail server gets them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MailChannelTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final String PASSWORD = "open-sesame";

  private final Vertx vertx = Vertx.vertx();
  private final List<AutoCloseable> servers = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : servers) {
      each.close();
    }
    await(vertx.close());
  }

  @Test
  void an_alert_is_one_message_to_all_with_what_there_is_to_say() throws Exception {
    Wiser server = server(0, Set.of());
    AlertChannel channel = channel(server, "ops@example.org", "ann@example.org");

    await(channel.tell(vertx, notice("mails", AlertChange.OPENED)));
    await(channel.tell(vertx, notice("mails", AlertChange.OPENED)));
    await(channel.close());

    assertThat(server.getMessages())
        .extracting(WiserMessage::getEnvelopeReceiver)
        .containsExactlyInAnyOrder(
            "ops@example.org", "ann@example.org", "ops@example.org", "ann@example.org");
    assertThat(server.getMessages())
        .extracting(each -> header(each, "Message-ID"))
        .containsOnly("<alert_7.opened@example.org>");
    MimeMessage message = server.getMessages().get(0).getMimeMessage();
    assertThat(message.getSubject()).isEqualTo("[shop] opened late: mails");
    assertThat(header(server.getMessages().get(0), "From")).isEqualTo("runlane@example.org");
    assertThat(header(server.getMessages().get(0), "Auto-Submitted")).isEqualTo("auto-generated");
    assertThat(text(message))
        .contains("Its oldest run has been due for 6 minutes – since noon.", "Rule: late")
        .contains("Delivery: alert_7:opened");
  }

  @Test
  void a_channel_that_was_closed_tells_again() {
    Wiser server = server(0, Set.of());
    AlertChannel channel = channel(server, "ops@example.org");
    await(channel.tell(vertx, notice("mails", AlertChange.OPENED)));
    await(channel.close());

    await(channel.tell(vertx, notice("mails", AlertChange.RESOLVED)));

    assertThat(server.getMessages()).hasSize(2);
  }

  @Test
  void a_name_that_holds_line_breaks_begins_no_header_and_a_long_one_is_cut() throws Exception {
    Wiser server = server(0, Set.of());
    AlertChannel channel = channel(server, "ops@example.org");

    await(channel.tell(
        vertx, notice("mails\r\nBcc: eve@example.org\r\n\r\nBuy!\n.\r\n", AlertChange.OPENED)));
    await(channel.tell(vertx, notice("ü".repeat(5_000), AlertChange.OPENED)));

    assertThat(server.getMessages())
        .extracting(WiserMessage::getEnvelopeReceiver)
        .containsExactly("ops@example.org", "ops@example.org");
    MimeMessage injected = server.getMessages().get(0).getMimeMessage();
    assertThat(injected.getHeader("Bcc")).isNull();
    assertThat(injected.getSubject())
        .isEqualTo("[shop] opened late: mails Bcc: eve@example.org Buy! . ");
    assertThat(server.getMessages().get(1).getMimeMessage().getSubject())
        .hasSize(200)
        .endsWith("…");
  }

  @Test
  void a_recipient_that_is_refused_keeps_no_other_from_being_told() throws Exception {
    Wiser server = server(0, Set.of("gone@example.org"));

    await(channel(server, "gone@example.org", "ops@example.org")
        .tell(vertx, notice("mails", AlertChange.OPENED)));
    Throwable failure = failure(
        channel(server, "gone@example.org").tell(vertx, notice("mails", AlertChange.OPENED)));

    assertThat(server.getMessages())
        .extracting(WiserMessage::getEnvelopeReceiver)
        .containsExactly("ops@example.org");
    assertThat(failure).isNotNull();
  }

  @Test
  void a_server_that_refuses_first_is_told_once_it_accepts() throws Exception {
    Wiser server = server(2, Set.of());
    Runlane runlane = watched(server);

    String alert = await(runlane.alerts().sendTest("mail", RunActionOptions.by("anna")));
    until(() -> message(server, alert, "resolved").isPresent()); // by a later look
    until(() -> message(server, alert, "opened").isPresent());

    assertThat(text(message(server, alert, "opened").orElseThrow().getMimeMessage()))
        .contains("This is a test of channel mail, by anna.");
    until(
        () -> await(runlane.alerts().list(null, null, null, null)).data().get(0).untold() == 0);
    assertThat(await(runlane.operator().actions(null, null)).data())
        .extracting(each -> each.action() + " " + each.target())
        .contains("alert_channel.test mail");
    await(runlane.close());
  }

  @Test
  void a_test_of_a_channel_that_no_process_has_stays_untold() throws Exception {
    Runlane runlane = watched(server(0, Set.of()));

    await(runlane.alerts().sendTest("mial", RunActionOptions.by("anna")));

    assertThat(await(runlane.alerts().list(null, null, null, null)).data())
        .as("its opening, and its end once the watch has looked")
        .extracting(Alert::untold)
        .containsAnyOf(1, 2)
        .hasSize(1);
    assertThat(failure(runlane.alerts().sendTest("a:b", RunActionOptions.by("anna"))))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
    await(runlane.close());
  }

  @Test
  void a_server_that_says_nothing_fails_the_channel_within_its_time() throws Exception {
    NetServer silent =
        await(vertx.createNetServer().connectHandler(socket -> {}).listen(0));
    AlertChannel channel = MailChannel.to(
        "mail",
        new MailConfig("127.0.0.1", silent.actualPort()),
        "runlane@example.org",
        List.of("ops@example.org"));

    assertThat(failure(channel.tell(vertx, notice("mails", AlertChange.OPENED))))
        .isNotNull();
  }

  @Test
  void what_a_silent_server_has_not_taken_does_not_pile_up_to_be_sent_later() throws Exception {
    NetServer silent =
        await(vertx.createNetServer().connectHandler(socket -> {}).listen(0));
    AlertChannel channel = MailChannel.to(
        "mail",
        new MailConfig("127.0.0.1", silent.actualPort()),
        "runlane@example.org",
        List.of("ops@example.org"));
    for (int sent = 0; sent < AlertWatch.AT_ONCE; sent++) {
      channel.tell(vertx, notice("mails", AlertChange.OPENED));
    }

    Future<Void> further = channel.tell(vertx, notice("mails", AlertChange.OPENED));

    assertThat(further.cause())
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE));
  }

  @Test
  void a_log_in_is_made_with_the_password_and_neither_failure_nor_name_shows_it() {
    Wiser server = server(0, Set.of());
    AlertChannel right = MailChannel.to(
        "mail",
        config(server).setUsername("runlane").setPassword(PASSWORD),
        "runlane@example.org",
        List.of("ops@example.org"));
    AlertChannel wrong = MailChannel.to(
        "mail",
        config(server).setUsername("runlane").setPassword("not-" + PASSWORD),
        "runlane@example.org",
        List.of("ops@example.org"));

    await(right.tell(vertx, notice("mails", AlertChange.OPENED)));
    Throwable refused = failure(wrong.tell(vertx, notice("mails", AlertChange.OPENED)));

    assertThat(server.getMessages()).hasSize(1);
    assertThat(refused).hasMessageNotContaining(PASSWORD);
    assertThat(right.toString()).doesNotContain(PASSWORD, "127.0.0.1", "runlane");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ops",
        "ops@",
        "@example.org",
        "ops@example.org\r\nRCPT TO:<eve@example.org>",
        "ops@example.org>",
        "Ops <ops@example.org>",
        "ops@example.org, eve@example.org",
        "ops@example.org eve@example.org"
      })
  void what_is_no_address_is_refused(String address) {
    MailConfig config = new MailConfig();

    assertRefused(() -> MailChannel.to("mail", config, address, List.of("ops@example.org")));
    assertRefused(() -> MailChannel.to("mail", config, "ops@example.org", List.of(address)));
  }

  @Test
  void a_password_that_would_cross_the_network_in_the_open_is_refused() {
    MailConfig open = new MailConfig("mail.example.org").setUsername("runlane").setPassword("x");
    List<String> ops = List.of("ops@example.org");

    assertRefused(() -> MailChannel.to("mail", open, "ops@example.org", ops));
    assertRefused(() -> MailChannel.to("mail", new MailConfig(), "ops@example.org", List.of()));
    for (MailConfig each : List.of(
        new MailConfig(open).setSsl(true),
        new MailConfig(open).setStarttls(StartTLSOptions.REQUIRED))) {
      assertThat(MailChannel.to("mail", each, "ops@example.org", ops).name()).isEqualTo("mail");
    }
  }

  private static void assertRefused(Runnable made) {
    try {
      made.run();
      throw new AssertionError("it was not refused");
    } catch (RunlaneException refused) {
      assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    }
  }

  /** Refuses the first so many recipients, and these always. */
  private Wiser server(int refusals, Set<String> refused) {
    AtomicInteger left = new AtomicInteger(refusals);
    Wiser server = Wiser.accepter(
            (from, recipient) -> !refused.contains(recipient) && left.getAndDecrement() <= 0)
        .server(new SMTPServer.Builder()
            .port(0)
            .authenticationHandlerFactory(
                new EasyAuthenticationHandlerFactory((user, given, context) -> {
                  if (!given.equals(PASSWORD)) {
                    throw new LoginFailedException();
                  }
                })));
    server.start();
    servers.add(server::stop);
    return server;
  }

  private static MailConfig config(Wiser server) {
    return new MailConfig("127.0.0.1", server.getServer().getPortAllocated());
  }

  private AlertChannel channel(Wiser server, String... recipients) {
    return MailChannel.to("mail", config(server), "runlane@example.org", Arrays.asList(recipients));
  }

  private Runlane watched(Wiser server) {
    Runlane runlane = Runlane.builder(vertx, MemoryLane.create()).operatorOnly().build();
    await(runlane.start());
    await(vertx.deployVerticle(new AlertVerticle(
        runlane,
        List.of(channel(server, "ops@example.org")),
        new AlertOptions().setIdleDelay(Duration.ofMillis(20)).setEvery(Duration.ofMillis(100)))));
    return runlane;
  }

  private static AlertNotice notice(String subject, AlertChange change) {
    return new AlertNotice(
        new Environment("shop"),
        new Alert(
            "alert_7",
            "late",
            subject,
            "Its oldest run has been due for 6 minutes – since noon.",
            NOON,
            NOON,
            null,
            1),
        change,
        NOON);
  }

  private static String text(MimeMessage message) {
    try {
      return message.getContent().toString();
    } catch (IOException | MessagingException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  private static String header(WiserMessage message, String name) {
    try {
      return message.getMimeMessage().getHeader(name, ", ");
    } catch (MessagingException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  /** What the server has taken of this alert's change; a failure that was none makes it come twice. */
  private static Optional<WiserMessage> message(Wiser server, String alert, String change) {
    return List.copyOf(server.getMessages()).stream()
        .filter(
            each -> header(each, "Message-ID").equals("<" + alert + "." + change + "@example.org>"))
        .findFirst();
  }

  private void until(BooleanSupplier seen) {
    for (int tries = 0; tries < 3_000; tries++) {
      if (seen.getAsBoolean()) {
        return;
      }
      await(vertx.timer(20, MILLISECONDS));
    }
    throw new AssertionError("it was never seen");
  }

  private static Throwable failure(Future<?> work) {
    return await(work.transform((done, failure) -> Future.succeededFuture(failure)));
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException silent) {
      throw new AssertionError(silent);
    }
  }
}
