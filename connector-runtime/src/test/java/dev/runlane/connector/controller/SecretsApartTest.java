package dev.runlane.connector.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.controller.registry.SecretSource;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.run.RunlaneException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("secrets of a controller in a process of its own")
class SecretsApartTest extends OwnerCase {
  private static final String LAUNCHER = "./secrets-apart.sh";
  private static final String VARIABLE = "RUNLANE_SECRET__SHELF__TOKEN";
  private static final String VALUE = "two\nlines of a s3cret";

  /** A sibling of the same user: reads what the kernel shows of the controller. */
  private static final String SPY = "read -r start\n"
      + "tr '\\0' '\\n' < /proc/$PPID/environ | grep -q 'PATH=.' || exit 8\n"
      + "if grep -qaF 's3cret' /proc/$PPID/environ /proc/$PPID/cmdline; then exit 9; fi\n"
      + "for pipe in /proc/$PPID/fd/*; do\n"
      + "  case $(readlink $pipe) in pipe:*) ;; *) continue ;; esac\n"
      + "  if timeout 0.2 head -c 65536 $pipe 2>/dev/null | grep -qaF 's3cret'; then exit 10; fi\n"
      + "done\n";

  /** The connection whose secret it is. */
  private static final String OWNER = "read -r start\n[ \"$TOKEN\" = '" + VALUE + "' ] || exit 9\n";

  private Process controller;

  @BeforeEach
  void connectors() {
    Folders.runnable(scene.polyfills, "spy", "1", SPY + OwnerScene.done(0));
    Folders.runnable(
        scene.polyfills, "shelf", "1", OWNER + OwnerScene.done(0), ", \"secrets\": [\"TOKEN\"]");
  }

  @AfterEach
  void endController() {
    if (controller != null) {
      controller.destroyForcibly().onExit().join();
    }
  }

  @Test
  void are_taken_out_of_its_environment_before_a_child_is_started() throws Exception {
    OwnerClient owner = start(List.of(), List.of());

    assertThat(Files.readString(environ(), StandardCharsets.ISO_8859_1))
        .contains(VARIABLE)
        .doesNotContain("s3cret");
    assertThat(run(owner, "spy")).isEqualTo("completed");
    assertThat(run(owner, "shelf")).isEqualTo("completed");
  }

  @Test
  void are_handed_over_by_the_launcher_in_a_pipe_that_is_empty_afterwards() throws Exception {
    OwnerClient owner = start(List.of(LAUNCHER), List.of("pipe"));

    assertThat(Files.readString(environ(), StandardCharsets.ISO_8859_1)).doesNotContain(VARIABLE);
    assertThat(run(owner, "spy")).isEqualTo("completed");
    assertThat(run(owner, "shelf")).isEqualTo("completed");
  }

  @Test
  void leave_the_launcher_s_other_variables_as_they_are_and_more_than_a_pipe_holds_passes()
      throws Exception {
    ProcessBuilder builder = new ProcessBuilder(
        LAUNCHER, "sh", "-c", "wc -c < $RUNLANE_SECRETS; echo $OTHER; env | grep -c SECRET__; :");
    builder.environment().put(VARIABLE, "x".repeat(100_000));
    builder.environment().put("OTHER", "stays");

    assertThat(said(builder)).isEqualTo((VARIABLE.length() + 1 + 100_000 + 1) + "\nstays\n0\n");
  }

  @Test
  void are_none_where_the_launcher_was_given_none() throws Exception {
    assertThat(said(new ProcessBuilder(LAUNCHER, "sh", "-c", "echo ${RUNLANE_SECRETS-none}")))
        .isEqualTo("none\n");
    assertThatThrownBy(() ->
            SecretSource.handedOver(Map.of()).secrets(ConnectorRef.of("shelf"), List.of("TOKEN")))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining(VARIABLE);
  }

  @Test
  void are_not_taken_from_a_file_where_a_pipe_was_promised() throws Exception {
    Path file = Files.writeString(registries.resolve("secrets"), VARIABLE + "=s3cret\0");

    assertThatThrownBy(() -> SecretSource.handedOver(Map.of("RUNLANE_SECRETS", file.toString())))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("no pipe")
        .hasMessageNotContaining("s3cret");
    assertThatThrownBy(() -> SecretSource.handedOver(
            Map.of("RUNLANE_SECRETS", registries.resolve("missing").toString())))
        .isInstanceOf(RunlaneException.class);
  }

  private String run(OwnerClient owner, String connector) {
    return owner.ended(owner.run(connector)).getString("status");
  }

  private Path environ() {
    return Path.of("/proc", Long.toString(controller.pid()), "environ");
  }

  private OwnerClient start(List<String> launcher, List<String> more) throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.addAll(scene.command());
    command.addAll(more);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put(VARIABLE, VALUE);
    controller = builder.start();
    String line = new BufferedReader(
            new InputStreamReader(controller.getInputStream(), StandardCharsets.UTF_8))
        .readLine();
    return new OwnerClient(Integer.parseInt(line.substring("port ".length())));
  }

  private static String said(ProcessBuilder builder) throws Exception {
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return said;
  }
}
