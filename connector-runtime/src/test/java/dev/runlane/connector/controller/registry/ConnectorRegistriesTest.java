package dev.runlane.connector.controller.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.runlane.connector.controller.Folders;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("the registries of connectors")
class ConnectorRegistriesTest {
  private static final String SCRIPT = "exit 0\n";

  @TempDir
  private Path temporary;

  private Path fixtures;
  private Path polyfills;

  @BeforeEach
  void folders() throws Exception {
    fixtures = Files.createDirectory(temporary.resolve("fixtures"));
    polyfills = Files.createDirectory(temporary.resolve("polyfills"));
  }

  @Test
  void where_children_have_users_what_others_may_change_is_left_out() throws Exception {
    permit("", "rwxr-xr-x");
    for (String id : List.of("apart", "sound", "folder", "manifest", "launch", "linked")) {
      String user = id.equals("apart") ? ", \"user\": \"nobody\"" : "";
      Path folder = Folders.runnable(polyfills, id, "1", SCRIPT, user);
      permit(id, "rwxr-xr-x");
      permit(id + "/manifest.json", "rw-r--r--");
      permit(id + "/launch.json", "rw-r--r--");
    }
    permit("folder", "rwxrwxr-x");
    permit("manifest/manifest.json", "rw-rw-r--");
    permit("launch/launch.json", "rw-r--rw-");
    Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
    Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path launch = polyfills.resolve("linked/launch.json");
    Files.createSymbolicLink(launch, Files.move(launch, elsewhere.resolve("launch.json")));

    assertThat(ids(ConnectorRegistry.read(polyfills))).containsExactly("apart", "sound");

    Files.writeString(
        polyfills.resolve("apart/launch.json"), "{\"command\": [\"sh\", \"connector.sh\"]}");
    assertThat(ids(ConnectorRegistry.read(polyfills))).as("none has a user").hasSize(6);
  }

  @Test
  void where_children_have_users_what_belongs_to_one_of_them_is_left_out() throws Exception {
    assumeTrue(
        Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")),
        "files are given away by root alone");
    permit("", "rwxr-xr-x");
    Path own = Folders.runnable(polyfills, "own", "1", SCRIPT, ", \"user\": \"nobody\"");
    Folders.runnable(polyfills, "other", "1", SCRIPT);
    Files.setAttribute(own.resolve("launch.json"), "unix:uid", 65_534);

    assertThat(ids(ConnectorRegistry.read(polyfills))).containsExactly("other");
  }

  private void permit(String path, String permissions) throws IOException {
    Files.setPosixFilePermissions(
        polyfills.resolve(path), PosixFilePermissions.fromString(permissions));
  }

  private static List<String> ids(ConnectorRegistry registry) {
    return registry.all().stream()
        .map(folder -> folder.manifest().connectorId())
        .toList();
  }

  @Test
  void R7_S1_an_active_manifest_that_is_the_polyfill_s_resolves_to_the_polyfill() {
    Folders.runnable(fixtures, "shelf", "1", SCRIPT);
    Folders.runnable(polyfills, "shelf", "2", SCRIPT);

    assertThat(resolved("shelf", fingerprint(polyfills))).contains(polyfills.resolve("shelf"));
  }

  @Test
  void R7_S1_an_active_manifest_that_is_both_s_resolves_to_the_polyfill() {
    Folders.runnable(fixtures, "shelf", "1", SCRIPT);
    Folders.runnable(polyfills, "shelf", "1", SCRIPT);

    assertThat(resolved("shelf", fingerprint(polyfills))).contains(polyfills.resolve("shelf"));
  }

  @Test
  void R7_an_active_manifest_that_is_the_fixture_s_resolves_to_the_fixture() {
    Folders.runnable(fixtures, "shelf", "1", SCRIPT);
    Folders.runnable(polyfills, "shelf", "2", SCRIPT);

    assertThat(resolved("shelf", fingerprint(fixtures))).contains(fixtures.resolve("shelf"));
  }

  @Test
  void R7_S2_without_an_active_manifest_the_polyfill_that_can_run_is_preferred() {
    Folders.runnable(fixtures, "shelf", "1", SCRIPT);
    Folders.runnable(polyfills, "shelf", "2", SCRIPT);

    assertThat(resolved("shelf", Optional.empty())).contains(polyfills.resolve("shelf"));
  }

  @Test
  void R7_S3_a_connector_that_only_the_polyfills_have_resolves_to_it() {
    Folders.runnable(polyfills, "shelf", "2", SCRIPT);
    Folders.runnable(fixtures, "another", "2", SCRIPT);

    for (Optional<String> active :
        List.of(Optional.<String>empty(), fingerprint(polyfills), Optional.of("neither"))) {
      assertThat(resolved("shelf", active)).contains(polyfills.resolve("shelf"));
    }
  }

  @Test
  void R7_a_polyfill_that_cannot_run_gives_way_to_the_fixture() {
    Folders.runnable(fixtures, "shelf", "1", SCRIPT);
    Folders.described(polyfills, "shelf", "2");

    assertThat(resolved("shelf", Optional.empty())).contains(fixtures.resolve("shelf"));
    assertThat(resolved("shelf", Optional.of("neither"))).contains(fixtures.resolve("shelf"));
  }

  @Test
  void R7_nothing_that_can_run_resolves_to_nothing() {
    Folders.described(fixtures, "shelf", "1");

    assertThat(resolved("shelf", Optional.empty())).isEmpty();
    assertThat(resolved("unknown", Optional.empty())).isEmpty();
  }

  @Test
  void one_folder_that_cannot_be_used_takes_no_other_with_it() {
    Folders.runnable(polyfills, "shelf", "1", SCRIPT);
    Folders.write(polyfills.resolve("broken"), "manifest.json", "{");
    Folders.runnable(polyfills, "wrong", "1", SCRIPT, ", \"secrets\": [\"PATH\"]");
    Folders.write(polyfills.resolve("empty"), "notes.txt", "nothing");

    assertThat(ConnectorRegistry.read(polyfills).all())
        .extracting(ConnectorFolder::folder)
        .containsExactly(polyfills.resolve("shelf"));
  }

  @Test
  void a_launch_file_is_refused_with_the_member_at_fault() {
    assertRefused("{}", "command");
    assertRefused("{\"command\": \"sh\"}", "command");
    assertRefused("{\"command\": [\"sh\"], \"comand\": []}", "member");
    assertRefused("{\"command\": [\"sh\"], \"secrets\": [\"PDPP_RUN_ID\"]}", "PDPP_RUN_ID");
    assertRefused("{\"command\": [\"sh\"], \"environment\": {\"A\": 1}}", "environment");
    assertRefused("{\"command\": [\"sh\"], \"browser_surface\": \"file:///x\"}", "browser_surface");
    assertRefused(
        "{\"command\": [\"sh\"], \"working_directory\": \"\\u0000\"}", "working_directory");
    assertRefused("{\"command\": [\"sh\"], \"proxies\": \"true\"}", "proxies");
    assertRefused("[]", "object");
    assertRefused("{", "JSON");
  }

  private void assertRefused(String launch, String named) {
    Path folder = Folders.described(temporary.resolve("one"), "shelf", "1");
    Folders.write(folder, "launch.json", launch);

    assertThatThrownBy(() -> ConnectorRegistry.connector(folder))
        .as(launch)
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONNECTOR_INVALID))
        .hasMessageContaining(named);
  }

  private Optional<Path> resolved(String connectorId, Optional<String> fingerprint) {
    return new ConnectorRegistries(
            ConnectorRegistry.read(fixtures), ConnectorRegistry.read(polyfills))
        .resolve(connectorId, fingerprint)
        .map(ConnectorFolder::folder);
  }

  private static Optional<String> fingerprint(Path registry) {
    return ConnectorRegistry.read(registry)
        .find("shelf")
        .map(folder -> folder.manifest().fingerprint());
  }
}
