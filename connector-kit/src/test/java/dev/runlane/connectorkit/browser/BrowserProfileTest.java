package dev.runlane.connectorkit.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connectorkit.message.ConnectorFailure;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("a browser profile")
@DisplayNameGeneration(ReplaceUnderscores.class)
class BrowserProfileTest {

  @TempDir
  Path root;

  @Test
  void R10_S1_is_in_the_owners_pdpp_folder_or_under_the_root_that_is_given() {
    assertThat(surroundings("HOME", "/home/ada").profileRoot())
        .isEqualTo(Path.of("/home/ada/.pdpp/profiles"));
    assertThat(surroundings("PDPP_BROWSER_PROFILE_ROOT", "/srv/profiles").profileRoot())
        .isEqualTo(Path.of("/srv/profiles"));
  }

  @Test
  void R10_S1_has_the_instance_in_its_name_where_a_connector_has_several() {
    BrowserEnvironment first =
        surroundings("PDPP_CONNECTOR_ID", "shelf", "PDPP_CONNECTOR_INSTANCE_ID", "shelf");
    BrowserEnvironment second =
        surroundings("PDPP_CONNECTOR_ID", "shelf", "PDPP_CONNECTOR_INSTANCE_ID", "cin_2");

    assertThat(BrowserProfile.folderName(first, "shelf")).isEqualTo("shelf");
    assertThat(BrowserProfile.folderName(second, "shelf")).isEqualTo("shelf__cin_2");
  }

  @Test
  void R10_S2_is_refused_a_name_outside_letters_digits_underscore_and_dash() {
    for (String name : List.of("", ".", "..", "a/b", "a b", "ä", "a\n", "../../etc", "a.b")) {
      assertCode(
          "browser_profile_name_invalid", () -> BrowserProfile.folderName(surroundings(), name));
    }
    assertCode(
        "browser_profile_name_invalid",
        () ->
            BrowserProfile.folderName(surroundings("PDPP_CONNECTOR_INSTANCE_ID", "../x"), "shelf"));
    assertThat(BrowserProfile.folderName(surroundings(), "My_Shelf-2")).isEqualTo("My_Shelf-2");
  }

  @Test
  void is_readable_by_its_owner_alone_also_when_it_was_there_before() throws IOException {
    Files.createDirectories(
        root.resolve("old"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));

    for (String name : List.of("new", "old")) {
      try (BrowserProfile profile = BrowserProfile.hold(root, name)) {
        assertThat(permissions(profile.folder())).isEqualTo("rwx------");
      }
    }
  }

  @Test
  void is_private_under_a_root_that_is_made_so_and_leaves_one_that_is_there_as_it_was()
      throws IOException {
    Path shared = Files.createDirectories(
        root.resolve("shared"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    Path linked = Files.createSymbolicLink(root.resolve("linked"), shared);

    for (Path given : List.of(shared, linked, root.resolve("made"))) {
      try (BrowserProfile profile = BrowserProfile.hold(given, "shelf")) {
        assertThat(permissions(profile.folder())).isEqualTo("rwx------");
      }
    }

    assertThat(permissions(shared)).isEqualTo("rwxr-xr-x");
    assertThat(permissions(root.resolve("made"))).isEqualTo("rwx------");
  }

  @Test
  void is_held_by_one_connector_at_a_time() {
    try (BrowserProfile held = BrowserProfile.hold(root, "shelf")) {
      assertCode("browser_profile_in_use", () -> BrowserProfile.hold(root, "shelf"));
      assertThat(held.folder()).exists();
    }

    BrowserProfile.hold(root, "shelf").close();
  }

  @Test
  void R10_S1_loses_the_locks_of_a_browser_that_is_dead() throws Exception {
    Path profile = Files.createDirectories(root.resolve("shelf"));
    links(profile, hostName() + "-" + deadProcess());

    BrowserProfile.hold(root, "shelf").close();

    assertThat(profile).isEmptyDirectory();
  }

  @Test
  void loses_the_locks_of_a_browser_whose_number_another_program_has_now() throws Exception {
    Path profile = Files.createDirectories(root.resolve("shelf"));
    links(profile, hostName() + "-" + ProcessHandle.current().pid());

    BrowserProfile.hold(root, "shelf").close();

    assertThat(profile).isEmptyDirectory();
  }

  @Test
  void keeps_the_locks_of_a_browser_that_lives() throws Exception {
    Path profile = Files.createDirectories(root.resolve("shelf"));
    Process browser = new ProcessBuilder(
            "sh", "-c", "read -r end", "--user-data-dir=" + profile.toRealPath())
        .start();
    try {
      links(profile, hostName() + "-" + browser.pid());

      assertCode("browser_profile_in_use", () -> BrowserProfile.hold(root, "shelf"));
      assertLocked(profile);
    } finally {
      browser.destroyForcibly();
    }
  }

  @Test
  void keeps_the_locks_of_a_browser_that_answers_on_its_socket() throws Exception {
    Path profile = Files.createDirectories(root.resolve("shelf"));
    links(profile, hostName() + "-" + deadProcess());
    try (ServerSocketChannel browser = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      browser.bind(UnixDomainSocketAddress.of(root.resolve("socket")));

      assertCode("browser_profile_in_use", () -> BrowserProfile.hold(root, "shelf"));
      assertLocked(profile);
    }
  }

  @Test
  void keeps_the_locks_of_another_machines_browser() throws Exception {
    Path profile = Files.createDirectories(root.resolve("shelf"));
    links(profile, "elsewhere-" + deadProcess());

    assertCode("browser_profile_in_use", () -> BrowserProfile.hold(root, "shelf"));
    assertLocked(profile);
  }

  @Test
  void loses_the_locks_of_a_browser_whose_machine_was_the_last_to_hold_it() throws Exception {
    Path profile = Files.createDirectories(root.resolve("shelf"));
    links(profile, "replaced-container-" + deadProcess());
    Files.writeString(root.resolve("shelf.lock"), "replaced-container\n");

    BrowserProfile.hold(root, "shelf").close();

    assertThat(profile).isEmptyDirectory();
  }

  @Test
  void keeps_the_locks_of_a_third_machine_however_often_it_is_tried() throws Exception {
    Path profile = Files.createDirectories(root.resolve("shelf"));
    links(profile, "elsewhere-" + deadProcess());
    Files.writeString(root.resolve("shelf.lock"), "replaced-container\n");

    assertCode("browser_profile_in_use", () -> BrowserProfile.hold(root, "shelf"));
    assertCode("browser_profile_in_use", () -> BrowserProfile.hold(root, "shelf"));
    assertLocked(profile);
    assertThat(root.resolve("shelf.lock")).hasContent("replaced-container");
  }

  @Test
  void names_the_machine_that_holds_it_until_it_is_let_go() throws IOException {
    Path lockFile = root.resolve("shelf.lock");
    Files.writeString(lockFile, "a-name-that-is-longer-than-that-of-this-machine\n".repeat(9));

    try (BrowserProfile held = BrowserProfile.hold(root, "shelf")) {
      assertThat(held.folder()).exists();
      assertThat(lockFile).hasContent(hostName());
    }

    assertThat(lockFile).isEmptyFile();
  }

  @Test
  void keeps_a_lock_that_names_no_machine() throws Exception {
    BrowserProfile.hold(root, "shelf").close();
    Path profile = root.resolve("shelf");
    links(profile, "-" + deadProcess());

    assertCode("browser_profile_in_use", () -> BrowserProfile.hold(root, "shelf"));
    assertLocked(profile);
  }

  private void links(Path profile, String owner) throws IOException {
    Files.createSymbolicLink(profile.resolve("SingletonLock"), Path.of(owner));
    Files.createSymbolicLink(profile.resolve("SingletonSocket"), root.resolve("socket"));
    Files.createSymbolicLink(profile.resolve("SingletonCookie"), Path.of("4711"));
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private static void assertLocked(Path profile) {
    assertThat(Files.exists(profile.resolve("SingletonLock"), LinkOption.NOFOLLOW_LINKS))
        .isTrue();
  }

  private static long deadProcess() throws Exception {
    Process process = new ProcessBuilder("true").start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.pid();
  }

  private static String hostName() throws IOException {
    return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
  }

  private static BrowserEnvironment surroundings(String... variables) {
    return new BrowserEnvironment(
        variables.length == 0
            ? Map.of()
            : variables.length == 2
                ? Map.of(variables[0], variables[1])
                : Map.of(variables[0], variables[1], variables[2], variables[3]));
  }

  private static void assertCode(String code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ConnectorFailure.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }
}
