package dev.runlane.connector.process;

import static dev.runlane.connector.process.Children.await;
import static dev.runlane.connector.process.Children.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.process.Children.Collected;
import dev.runlane.run.RunlaneException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.condition.EnabledIf;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a child and what it can read of its sibling")
class ChildUserTest {
  private static final String TOKEN = "SHELF_TOKEN=s3cret-of-the-shelf";

  private final String nap = "8" + System.nanoTime() % 1_000_000_000;
  private Children children;

  @BeforeEach // no field's value: that would be made for tests that are not run, too
  void open() {
    children = new Children();
  }

  @AfterEach
  void close() {
    children.close();
    assertThat(Children.processesWith("sleep " + nap)).isEmpty();
  }

  @Test
  void as_the_same_user_it_can_read_the_sibling_s_environment() {
    Collected sibling = sibling();

    Collected child = run(spy(sibling), null);

    child.awaitEnd();
    assertThat(child.text()).isEqualTo("environment read\npipe opened\n");
  }

  @Test
  @EnabledIf("mayRunAs")
  void as_a_user_of_its_own_it_can_read_nothing_of_it() {
    Collected sibling = sibling();
    ChildUser nobody = ChildUser.named("nobody");

    Collected child = run("id -u; echo \"$HOME\"; " + spy(sibling), nobody);

    child.awaitEnd();
    assertThat(child.text()).isEqualTo(nobody.uid() + "\n" + nobody.home() + "\n");
  }

  @Test
  @EnabledIf("mayRunAs")
  void as_a_user_of_its_own_it_can_open_its_own_streams_by_name() {
    Collected child =
        run("echo one > /dev/stdout; echo two > /dev/stderr", ChildUser.named("nobody"));

    child.awaitEnd();
    child.awaitGone();
    assertThat(child.text()).isEqualTo("one\n");
    assertThat(child.child.stderrTail().text()).isEqualTo("two\n");
  }

  @Test
  @EnabledIf("mayRunAs")
  void as_a_user_of_its_own_it_is_ended_with_all_that_it_started() {
    Collected child = run(
        "(setsid sh -c 'sleep " + nap + " <&- >&- 2>&- &' &); echo up; sleep " + nap,
        ChildUser.named("nobody"));
    child.awaitLine("up");
    assertThat(waitUntil(() -> Children.processesWith("sleep " + nap).size() >= 2))
        .isTrue();

    children.onContext(child.child::terminate);

    await(child.child.ended());
    assertThat(Children.processesWith("sleep " + nap)).isEmpty();
  }

  @Test
  @DisabledIf("mayRunAs")
  void as_a_user_of_its_own_it_is_not_launched_where_the_controller_may_not() {
    assertThatThrownBy(() -> run("echo up", new ChildUser("nobody", 65534, 65534, "/")))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("as user nobody only under a controller that is root");
  }

  @Test
  void a_user_that_the_machine_does_not_know_is_refused() {
    assertThatThrownBy(() -> ChildUser.named("no-such-user"))
        .isInstanceOf(RunlaneException.class)
        .hasMessage("this machine knows no user no-such-user");
    assertThatThrownBy(() -> ChildUser.named("a:b")).isInstanceOf(RunlaneException.class);
  }

  static boolean mayRunAs() {
    return UserSwitch.mayRunAs();
  }

  private Collected sibling() {
    Map<String, String> environment = new HashMap<>(Children.environment());
    environment.put("SHELF_TOKEN", "s3cret-of-the-shelf");
    ChildProcess<String> sibling = children.launch(new ChildCommand(
        List.of("sh", "-c", "echo up; sleep " + nap + "; exit"), // which keeps its environment
        Path.of("/"),
        environment));
    Collected collected = new Collected(sibling);
    children.open(sibling, collected);
    collected.awaitLine("up");
    return collected;
  }

  private static String spy(Collected sibling) {
    String proc = "/proc/" + sibling.child.identity().pid();
    return "exec 2>/dev/null; tr '\\0' '\\n' < " + proc + "/environ | grep -qx " + TOKEN
        + " && echo environment read; ( : < " + proc + "/fd/1 ) && echo pipe opened; exit 0";
  }

  private Collected run(String script, ChildUser user) {
    Map<String, String> environment = new HashMap<>(Children.environment());
    environment.put("HOME", "/the/controller/s");
    ChildEnvironment own = ChildEnvironment.from(environment, ChildEnvironment.Proxies.HIDDEN);
    ChildProcess<String> child = children.launch(new ChildCommand(
        List.of("sh", "-c", script),
        Path.of("/"),
        (user == null ? own : own.ofUser(user)).toMap(),
        user));
    Collected collected = new Collected(child);
    children.open(child, collected);
    return collected;
  }
}
