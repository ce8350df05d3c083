package dev.runlane.connectorkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("a connector's process")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorProcessTest {

  private static final String START =
      "{\"type\":\"START\",\"run_id\":\"r\",\"scope\":{\"streams\":[{\"name\":\"a\"}]}}\n";

  private Process process;
  private BufferedReader output;

  @AfterEach
  void end() {
    process.destroyForcibly();
  }

  @Test
  void keeps_its_output_for_the_protocol() throws Exception {
    launch(Chatty.class);

    assertThat(output.readLine()).contains("PROGRESS");
    assertThat(output.readLine()).contains("DONE", "succeeded");
    process.getOutputStream().close();
    assertThat(exitCode()).isZero();
    assertThat(output.readLine()).isNull();
  }

  @Test
  void ends_with_143_on_SIGTERM_after_its_hooks_and_without_DONE() throws Exception {
    launch(Waiting.class);
    assertThat(output.readLine()).contains("waiting");

    terminate();

    assertThat(exitCode()).isEqualTo(143);
    assertThat(output.readLine()).contains("closed");
    assertThat(output.readLine()).isNull();
  }

  @Test
  void ends_with_143_on_SIGTERM_while_it_waits_for_the_end_of_its_input() throws Exception {
    launch(Chatty.class);
    assertThat(output.readLine()).contains("PROGRESS");
    assertThat(output.readLine()).contains("DONE");

    terminate();

    assertThat(exitCode()).isEqualTo(143);
  }

  @Test
  void ends_with_143_once_the_stop_wait_is_over_although_its_body_goes_on() throws Exception {
    launch(Stubborn.class);
    assertThat(output.readLine()).contains("busy");

    terminate();

    assertThat(exitCode()).isEqualTo(143);
    assertThat(output.readLine()).isNull();
  }

  @Test
  void ends_with_1_when_nobody_reads_its_output() throws Exception {
    launch(Endless.class);
    assertThat(output.readLine()).contains("RECORD");

    output.close();

    assertThat(exitCode()).isEqualTo(1);
  }

  private void launch(Class<?> connector) throws IOException {
    process = new ProcessBuilder(List.of(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            connector.getName()))
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
    process.getOutputStream().write(START.getBytes(UTF_8));
    process.getOutputStream().flush();
    output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  /** Unlike {@link Process#destroy}, leaves the streams open. */
  private void terminate() {
    process.toHandle().destroy();
  }

  private int exitCode() throws InterruptedException {
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  /** Prints what is no message, as a library would. */
  static final class Chatty {
    public static void main(String[] arguments) {
      Connector.run(run -> {
        System.out.println("loading…");
        run.progress("read " + System.in.read());
        System.out.println("loaded");
      });
    }
  }

  /** Waits for ever, and says so when it is closed. */
  static final class Waiting {
    public static void main(String[] arguments) {
      Connector.run(run -> {
        run.onEnd(() -> run.progress("closed"));
        run.progress("waiting");
        new CountDownLatch(1).await();
      });
    }
  }

  /** Takes no notice of being interrupted. */
  static final class Stubborn {
    public static void main(String[] arguments) {
      Connector.run(new ConnectorOptions().setStopWait(Duration.ofMillis(200)), run -> {
        run.progress("busy");
        while (true) {
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException asked) {
            System.err.println("still busy");
          }
        }
      });
    }
  }

  /** Sends records as long as somebody reads them. */
  static final class Endless {
    public static void main(String[] arguments) {
      Connector.run(run -> {
        while (true) {
          run.record("a", "1", Conversation.JSON.createObjectNode());
        }
      });
    }
  }
}
