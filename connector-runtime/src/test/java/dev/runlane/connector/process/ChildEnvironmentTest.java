package dev.runlane.connector.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.process.ChildEnvironment.Proxies;
import dev.runlane.run.RunlaneException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ChildEnvironmentTest {
  private static final Map<String, String> HOST = Map.of(
      "PATH", "/bin",
      "LC_ALL", "C.UTF-8",
      "SSL_CERT_FILE", "/ca",
      "https_proxy", "http://proxy",
      "AWS_SECRET_ACCESS_KEY", "host's own",
      "PDPP_OWNER_TOKEN", "host's own",
      "LD_PRELOAD", "/evil.so");

  @Test
  void nothing_is_inherited_but_names_on_the_list() {
    assertThat(ChildEnvironment.from(HOST, Proxies.HIDDEN).toMap())
        .containsOnlyKeys("PATH", "LC_ALL", "SSL_CERT_FILE");
  }

  @Test
  void another_user_s_child_has_that_user_s_home_and_no_files_of_this_one_s_session() {
    Map<String, String> host = Map.of(
        "HOME", "/root",
        "DISPLAY", ":0",
        "XAUTHORITY", "/root/.Xauthority",
        "XDG_RUNTIME_DIR", "/run/user/0");

    assertThat(ChildEnvironment.from(host, Proxies.HIDDEN)
            .ofUser(new ChildUser("nobody", 65534, 65534, "/nowhere"))
            .toMap())
        .containsExactlyInAnyOrderEntriesOf(Map.of("HOME", "/nowhere", "DISPLAY", ":0"));
  }

  @Test
  void proxies_are_for_approved_connectors() {
    assertThat(ChildEnvironment.from(HOST, Proxies.APPROVED).toMap())
        .containsEntry("https_proxy", "http://proxy");
  }

  @Test
  void a_connection_gets_its_own_secrets() {
    Map<String, String> all = ChildEnvironment.from(HOST, Proxies.HIDDEN)
        .declared(Map.of("MODE", "slow", "TZ", "UTC"))
        .run(Map.of("PDPP_RUN_ID", "run_1"))
        .secrets(Map.of("SHELF_TOKEN", "s3cret"))
        .toMap();

    Map<String, String> expected = new HashMap<>(Map.of(
        "PATH", "/bin", "LC_ALL", "C.UTF-8", "SSL_CERT_FILE", "/ca", "MODE", "slow", "TZ", "UTC"));
    expected.putAll(Map.of("PDPP_RUN_ID", "run_1", "SHELF_TOKEN", "s3cret"));
    assertThat(all).isEqualTo(expected);
  }

  @Test
  void a_secret_cannot_replace_a_reserved_name_or_one_the_folder_sets() {
    for (String name : new String[] {
      "PATH",
      "HOME",
      "LC_TIME",
      "SSL_CERT_DIR",
      "DISPLAY",
      "PDPP_RS_URL",
      "http_proxy",
      "MODE",
      ChildEnvironment.MARKER
    }) {
      ChildEnvironment environment =
          ChildEnvironment.from(Map.of(), Proxies.HIDDEN).declared(Map.of("MODE", "slow"));

      assertThatThrownBy(() -> environment.secrets(Map.of(name, "s3cret")))
          .as(name)
          .isInstanceOf(RunlaneException.class)
          .hasMessageContaining(name)
          .hasMessageNotContaining("s3cret");
    }
  }

  @Test
  void a_folder_cannot_set_what_belongs_to_the_run() {
    for (String name : new String[] {"PDPP_RUN_ID", "ALL_PROXY", ChildEnvironment.MARKER}) {
      ChildEnvironment environment = ChildEnvironment.from(Map.of(), Proxies.HIDDEN);

      assertThatThrownBy(() -> environment.declared(Map.of(name, "x")))
          .as(name)
          .isInstanceOf(RunlaneException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES",
        "GLIBC_TUNABLES",
        "BASH_ENV",
        "ENV",
        "IFS",
        "SHELLOPTS",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "RUBYLIB",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "_JAVA_OPTIONS",
        "CLASSPATH"
      })
  void neither_secret_nor_folder_can_set_what_steers_a_loader_shell_or_interpreter(String name) {
    ChildEnvironment environment = ChildEnvironment.from(HOST, Proxies.HIDDEN);

    assertThatThrownBy(() -> environment.secrets(Map.of(name, "s3cret")))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining(name)
        .hasMessageNotContaining("s3cret");
    assertThatThrownBy(() -> environment.declared(Map.of(name, "x")))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining(name);
    assertThat(ChildEnvironment.isReserved(name)).isTrue();
    assertThat(environment.toMap()).doesNotContainKey(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"SHELF_TOKEN", "ENVIRONMENT", "NODE_ENV", "PYTHONUNBUFFERED", "LDAP_PASSWORD"})
  void names_that_only_look_like_these_are_free(String name) {
    assertThat(ChildEnvironment.from(HOST, Proxies.HIDDEN)
            .secrets(Map.of(name, "s3cret"))
            .toMap())
        .containsEntry(name, "s3cret");
  }

  @Test
  void what_no_process_can_be_given_is_refused_without_being_told() {
    ChildEnvironment environment = ChildEnvironment.from(Map.of(), Proxies.HIDDEN);

    assertThatThrownBy(() -> environment.secrets(Map.of("A=B", "x")))
        .isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> environment.secrets(Map.of("A", "s3cret\0")))
        .isInstanceOf(RunlaneException.class)
        .hasMessageNotContaining("s3cret");
  }
}
