package dev.runlane.connectorkit.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connectorkit.ConnectorBody;
import dev.runlane.connectorkit.ConnectorOptions;
import dev.runlane.connectorkit.Conversation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("a connector's browser")
@DisplayNameGeneration(ReplaceUnderscores.class)
class BrowserSessionTest {

  private static final String ANSWER =
      "{'type':'INTERACTION_RESPONSE','request_id':'q1','status':'%s'}";

  @TempDir
  Path home;

  private final Map<String, String> environment = new HashMap<>();
  private LoginSite site;

  @BeforeEach
  void site() throws IOException {
    InstalledBrowser.assumeInstalled();
    environment.putAll(InstalledBrowser.environment(home.toString()));
    site = new LoginSite();
  }

  @AfterEach
  void close() {
    if (site != null) {
      site.close();
    }
  }

  @Test
  void R10_S1_keeps_the_session_in_the_profile_named_like_the_connector() throws IOException {
    Path profile = home.resolve(".pdpp/profiles/shelf");
    try (Conversation first = converse(run -> login(BrowserSession.open(run, options())))) {
      assertThat(status(first.start().untilDone())).isEqualTo("succeeded");
    }
    assertThat(permissions(profile)).isEqualTo("rwx------");
    assertThat(profile.resolve("Default")).as("the browser's own").isDirectory();

    try (Conversation second = converse(run -> {
      BrowserSession.open(run, options().setSessionProbe(site.probe()));
      run.progress("live");
      new SingletonLocks(profile.toRealPath()).removeStale("");
    })) {
      List<JsonNode> messages = second.start().untilDone();
      assertThat(messages).as("nobody is asked").hasSize(2);
      assertThat(messages.get(0).path("message").asText()).isEqualTo("live");
      assertThat(errorCode(messages))
          .as("the locks of a browser that lives are kept")
          .isEqualTo("browser_profile_in_use");
    }
  }

  @Test
  void R10_S2_is_not_launched_for_a_profile_name_that_is_invalid() throws IOException {
    try (Conversation runtime =
        converse(run -> BrowserSession.open(run, options().setProfileName("../shelf")))) {
      assertThat(errorCode(runtime.start().untilDone())).isEqualTo("browser_profile_name_invalid");
    }
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void R10_S3_asks_the_owner_to_log_in_and_goes_on_once_the_session_is_live() {
    site.setClosedForAll(true);
    try (Conversation runtime = converse(run -> {
      BrowserOptions options =
          options().setSessionProbe(probeAfterLogin()).setManualActionMessage("Log in");
      run.progress(BrowserSession.open(run, options).page().title());
    })) {
      JsonNode question = runtime.start().next();
      assertThat(question.path("kind").asText()).isEqualTo("manual_action");
      assertThat(question.path("timeout_seconds").asInt()).isEqualTo(1800);
      assertThat(question.path("message").asText()).isEqualTo("Log in");
      site.setClosedForAll(false);
      runtime.say(ANSWER.formatted("success"));

      List<JsonNode> messages = runtime.untilDone();
      assertThat(messages.get(0).path("message").asText()).isEqualTo("Shelf");
      assertThat(status(messages)).isEqualTo("succeeded");
    }
  }

  @Tag("full")
  @Test
  void R10_S3_fails_the_run_when_the_session_is_still_not_live_after_the_owner_was_asked() {
    for (String answer : List.of("success", "cancelled", "timeout")) {
      int looked = site.homePages();
      try (Conversation runtime = converse(run ->
          BrowserSession.open(run, new BrowserOptions("My-Shelf").setSessionProbe(site.probe())))) {
        assertThat(runtime.start().next().path("kind").asText()).isEqualTo("manual_action");
        assertThat(site.homePages()).isEqualTo(looked + 1);
        runtime.say(ANSWER.formatted(answer));

        List<JsonNode> messages = runtime.untilDone();
        assertThat(site.homePages()).as("the probe has the last word").isEqualTo(looked + 2);
        assertThat(messages).as("the owner is asked once").hasSize(1);
        assertThat(status(messages)).isEqualTo("failed");
        assertThat(errorCode(messages)).isEqualTo("my_shelf_session_required");
        assertThat(runtime.closeInput()).isEqualTo(1);
      }
    }
  }

  @Test
  void R10_S3_fails_at_once_where_nobody_can_be_asked() {
    String shelves = "Shelf".repeat(12);
    try (Conversation runtime = converse(run ->
        BrowserSession.open(run, new BrowserOptions(shelves).setSessionProbe(site.probe())))) {
      runtime.say("{'type':'START','run_id':'r','scope':{'streams':[{'name':'a'}]},'bindings':{}}");

      JsonNode error = runtime.next().path("error");
      assertThat(error.path("code").asText())
          .as("a code has at most 64 characters")
          .isEqualTo("shelf".repeat(9) + "sh_session_required");
      assertThat(error.path("retryable").asBoolean(true)).isFalse();
      assertThat(error.path("recovery_hint").asText()).isEqualTo("manual_action_required");
    }
  }

  @Tag("full")
  @Test
  void R10_S3_leaves_the_login_to_the_connectors_own_hook_where_it_has_one() {
    try (Conversation runtime = converse(run -> {
      BrowserOptions options = options()
          .setSessionProbe(context -> {
            throw new AssertionError("the probe is not asked");
          })
          .setEnsureSession(
              (context, same) -> context.pages().get(0).navigate(site.address("/login")));
      BrowserSession session = BrowserSession.open(run, options);
      run.progress("live: " + site.probe().isLive(session.context()));
    })) {
      List<JsonNode> messages = runtime.start().untilDone();
      assertThat(messages.get(0).path("message").asText()).isEqualTo("live: true");
    }
  }

  @Test
  void R10_S4_writes_a_replayable_trace_and_names_it() throws IOException {
    environment.put("PDPP_TRACE", "1");
    List<JsonNode> messages;
    try (Conversation runtime = converse(run -> login(BrowserSession.open(run, options())))) {
      messages = runtime.start().untilDone();
    }

    Path trace = onlyFileIn(home.resolve(".pdpp/traces"));
    assertThat(trace.getFileName().toString()).matches("shelf-\\d{8}T\\d{9}Z\\.zip");
    assertThat(messages)
        .extracting(message -> message.path("message").asText())
        .containsExactly(
            "Browser trace started: " + trace.getFileName(), "Browser trace written: " + trace, "");
    assertThat(permissions(trace.getParent())).isEqualTo("rwx------");
    try (ZipFile zip = new ZipFile(trace.toFile())) {
      assertThat(zip.stream().map(ZipEntry::getName))
          .contains("trace.trace", "trace.network")
          .anyMatch(name -> name.startsWith("resources/"));
      assertThat(text(zip, "trace.trace"))
          .as("what the viewer replays")
          .contains("\"context-options\"", "\"frame-snapshot\"", site.address("/login"));
      assertThat(text(zip, "trace.network")).contains(site.address("/login"));
    }
  }

  @Tag("full")
  @Test
  void R10_S4_keeps_a_trace_private_in_a_folder_that_others_use() throws IOException {
    environment.put("PDPP_TRACE", "1");
    Path folder = Files.createDirectories(
        home.resolve("shared"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));

    try (Conversation runtime =
        converse(run -> BrowserSession.open(run, options().setTraceFolder(folder)))) {
      assertThat(status(runtime.start().untilDone())).isEqualTo("succeeded");
    }

    assertThat(permissions(onlyFileIn(folder))).isEqualTo("rw-------");
    assertThat(permissions(folder)).isEqualTo("rwxr-xr-x");
  }

  @Test
  void R10_S4_tells_a_trace_that_cannot_be_written_and_does_not_fail_for_it() throws IOException {
    environment.put("PDPP_TRACE", "1");
    Path file = Files.createFile(home.resolve("file"));
    try (Conversation runtime =
        converse(run -> BrowserSession.open(run, options().setTraceFolder(file)))) {
      List<JsonNode> messages = runtime.start().untilDone();

      assertThat(messages.get(1).path("message").asText())
          .matches("Browser trace shelf-.*\\.zip was not written: FileAlreadyExists.*");
      assertThat(status(messages)).isEqualTo("succeeded");
    }
  }

  @Test
  void fails_clearly_where_there_is_no_browser_or_no_node() {
    environment.put("PATH", home.toString());
    try (Conversation runtime = converse(run -> BrowserSession.open(run, options()))) {
      JsonNode error = runtime.start().next().path("error");

      assertThat(error.path("code").asText()).isEqualTo("browser_unavailable");
      assertThat(error.path("message").asText()).contains("Chromium");
    }
  }

  @Test
  void that_does_not_start_is_told_and_leaves_its_profile_and_no_driver() {
    try (Conversation runtime =
        converse(run -> BrowserSession.open(run, options().setChromium(Path.of("/bin/false"))))) {
      JsonNode error = runtime.start().next().path("error");

      assertThat(error.path("code").asText()).isEqualTo("browser_launch_failed");
      assertThat(error.path("message").asText())
          .startsWith("the browser did not start: ")
          .doesNotContain("Error {", "\n", "--user-data-dir");
    }
    assertNoDriverStays();
    BrowserProfile.hold(home.resolve(".pdpp/profiles"), "shelf").close();
  }

  @Test
  void is_not_waited_for_where_Node_says_nothing() throws IOException {
    Path deaf = Files.writeString(home.resolve("deaf"), "#!/bin/sh\nexec sleep 600\n");
    Files.setPosixFilePermissions(deaf, PosixFilePermissions.fromString("rwx------"));

    try (Conversation runtime = converse(run ->
        BrowserSession.open(run, options().setNode(deaf).setLaunchLimit(Duration.ofMillis(200))))) {
      JsonNode error = runtime.start().next().path("error");

      assertThat(error.path("code").asText()).isEqualTo("browser_unavailable");
      assertThat(error.path("message").asText()).contains("Node 20", "nothing");
    }
  }

  /** One that was ended is there for a moment, until it is reaped. */
  private static void assertNoDriverStays() {
    long begun = System.nanoTime();
    while (ProcessHandle.current()
        .descendants()
        .anyMatch(each -> each.info().command().orElse("").endsWith("/node"))) {
      assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.MINUTES.toNanos(1));
      LockSupport.parkNanos(20_000_000);
    }
  }

  private BrowserOptions options() {
    return new BrowserOptions("shelf");
  }

  private void login(BrowserSession session) {
    session.page().navigate(site.address("/login"));
  }

  /** Logs in as the owner would, and then looks. */
  private SessionProbe probeAfterLogin() {
    return context -> {
      context.pages().get(0).navigate(site.address("/login"));
      return site.probe().isLive(context);
    };
  }

  private Conversation converse(ConnectorBody body) {
    return Conversation.with(new ConnectorOptions().setEnvironment(environment), body);
  }

  private static String status(List<JsonNode> messages) {
    return messages.get(messages.size() - 1).path("status").asText();
  }

  private static String errorCode(List<JsonNode> messages) {
    return messages.get(messages.size() - 1).path("error").path("code").asText();
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private static String text(ZipFile zip, String entry) throws IOException {
    return new String(zip.getInputStream(zip.getEntry(entry)).readAllBytes(), UTF_8);
  }

  private static Path onlyFileIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }
}
