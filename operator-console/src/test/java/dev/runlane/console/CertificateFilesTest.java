package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.process.CapturedErrors;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.testinfra.server.ServerCertificate;
import dev.runlane.timing.Clock;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A console with a certificate that somebody renews while it is served. */
@Timeout(120)
@DisplayNameGeneration(ReplaceUnderscores.class)
class CertificateFilesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static ServerCertificate first;
  private static ServerCertificate second;

  @TempDir
  private Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final ManualTimers timers =
      new ManualTimers(ManualClock.at(Instant.parse("2026-05-01T12:00:00Z")));
  private final Runlane runlane = Runlane.builder(vertx, MemoryLane.create())
      .queue(TaskQueue.of("mail").asDefault())
      .build();
  private Path certificate;
  private Path key;

  @BeforeAll
  static void make(@TempDir Path made) throws IOException {
    first = pair(made.resolve("first"));
    second = pair(made.resolve("second"));
  }

  @BeforeEach
  void put() throws IOException {
    certificate = folder.resolve("tls.crt");
    key = folder.resolve("tls.key");
    put(first.certificate(), certificate);
    put(first.key(), key);
  }

  @AfterEach
  void close() throws Exception {
    done(vertx.close());
  }

  private static ServerCertificate pair(Path of) throws IOException {
    return ServerCertificate.in(Files.createDirectory(of), ServerAccount.self());
  }

  private static void put(Path file, Path place) throws IOException {
    Files.copy(file, place, StandardCopyOption.REPLACE_EXISTING);
  }

  private static <T> T done(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private static RunlaneException refused(Future<?> future) {
    return (RunlaneException) catchThrowable(() -> done(future)).getCause();
  }

  private OperatorConsole console() {
    return OperatorConsole.create(
        vertx,
        runlane,
        new ConsoleOptions()
            .setPort(0)
            .setCertificatePath(certificate.toString())
            .setPrivateKeyPath(key.toString()),
        Clock.system(),
        timers);
  }

  /** The certificate that a client is shown, in the lines of its file. */
  private static String shown(int port) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Anybody()}, new SecureRandom());
      try (SSLSocket socket =
          (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
        socket.startHandshake();
        return Base64.getMimeEncoder(64, new byte[] {'\n'})
            .encodeToString(socket.getSession().getPeerCertificates()[0].getEncoded());
      }
    } catch (IOException | GeneralSecurityException failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void a_pair_that_is_put_into_the_place_of_another_is_shown_to_who_connects_next()
      throws Exception {
    OperatorConsole console = console();
    int port = done(console.start());
    assertThat(Files.readString(first.certificate())).contains(shown(port));

    put(second.certificate(), certificate);
    put(second.key(), key);

    String renewed = Files.readString(second.certificate());
    assertThat(Poll.until(PATIENCE, () -> {
          timers.advance(CertificateFiles.LOOKED_AT);
          return renewed.contains(shown(port));
        }))
        .isTrue();
    done(console.close());
  }

  @Test
  void of_two_files_one_alone_is_not_taken_and_the_pair_before_is_shown() throws Exception {
    CertificateFiles files =
        new CertificateFiles(vertx, certificate.toString(), key.toString(), Clock.system());
    AtomicReference<PemKeyCertOptions> given = new AtomicReference<>();
    Function<PemKeyCertOptions, Future<Boolean>> server = options -> {
      given.set(options);
      return Future.succeededFuture(true);
    };
    done(files.read());
    put(second.certificate(), certificate);

    RunlaneException failure = refused(files.renew(server));

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure).hasMessageContaining("the key is not that of the certificate");
    assertThat(given).hasNullValue();
    put(second.key(), key);
    assertThat(done(files.renew(server))).isTrue();
    assertThat(given.get()).isNotNull();
    assertThat(done(files.renew(server))).as("what is there is shown already").isFalse();
  }

  @Test
  void a_console_whose_files_are_no_pair_does_not_start() throws Exception {
    put(second.certificate(), certificate);

    RunlaneException failure = refused(console().start());

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure).hasMessageContaining(certificate.toString());
  }

  @Test
  void a_file_that_is_gone_or_holds_no_certificate_is_named() throws Exception {
    CertificateFiles files =
        new CertificateFiles(vertx, certificate.toString(), key.toString(), Clock.system());
    Files.writeString(certificate, "nothing of the kind");
    assertThat(refused(files.read())).hasMessageContaining(certificate.toString());

    Files.delete(key);

    assertThat(refused(files.read())).hasMessageContaining(key.toString());
  }

  @Test
  void a_certificate_that_ends_within_a_week_is_told_once() throws Exception {
    X509Certificate it = (X509Certificate) CertificateFactory.getInstance("X.509")
        .generateCertificate(Files.newInputStream(certificate));
    Instant before = it.getNotAfter().toInstant().minus(CertificateFiles.RENEWED_BEFORE);
    ManualClock clock = ManualClock.at(before.minusSeconds(1));
    CertificateFiles files =
        new CertificateFiles(vertx, certificate.toString(), key.toString(), clock);
    String told = " ends at ";

    assertThat(CapturedErrors.during(
            () -> files.read().toCompletionStage().toCompletableFuture().join()))
        .noneMatch(line -> line.contains(told));
    clock.advance(Duration.ofSeconds(2));

    assertThat(CapturedErrors.during(() -> renewed(files)))
        .anyMatch(line -> line.contains("WARN") && line.contains(told));
    assertThat(CapturedErrors.during(() -> renewed(files))).noneMatch(line -> line.contains(told));
  }

  private static void renewed(CertificateFiles files) {
    files
        .renew(options -> Future.failedFuture("nothing is new"))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  private static final class Anybody implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
