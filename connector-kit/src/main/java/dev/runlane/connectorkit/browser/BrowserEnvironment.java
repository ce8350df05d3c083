package dev.runlane.connectorkit.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The connector's environment, as far as it is about browsers. */
record BrowserEnvironment(Map<String, String> environment) {

  private static final List<String> CHROMIUM_NAMES =
      List.of("chromium", "chromium-browser", "google-chrome-stable", "google-chrome");

  boolean isHeadless() {
    return isOne("PDPP_BROWSER_HEADLESS");
  }

  boolean isTraced() {
    return isOne("PDPP_TRACE");
  }

  /** Where the profiles are. */
  Path profileRoot() {
    return value("PDPP_BROWSER_PROFILE_ROOT")
        .map(Path::of)
        .orElseGet(() -> dataFolder().resolve("profiles"))
        .toAbsolutePath();
  }

  /** The owner's folder of this kind of data. */
  Path dataFolder() {
    return Path.of(value("HOME").orElseGet(() -> System.getProperty("user.home")), ".pdpp")
        .toAbsolutePath();
  }

  /** The connection, where the connector has several; the first one has the connector's own id. */
  Optional<String> instance() {
    return value("PDPP_CONNECTOR_INSTANCE_ID")
        .filter(id -> !id.equals(environment.get("PDPP_CONNECTOR_ID")));
  }

  Optional<Path> chromium() {
    return named("CHROME_PATH").or(() -> onPath(CHROMIUM_NAMES));
  }

  Optional<Path> node() {
    return named("PLAYWRIGHT_NODEJS_PATH").or(() -> onPath(List.of("node", "nodejs")));
  }

  private Optional<Path> named(String variable) {
    return value(variable).map(Path::of).filter(Files::isExecutable);
  }

  private Optional<Path> onPath(List<String> names) {
    List<Path> folders = Pattern.compile(":")
        .splitAsStream(value("PATH").orElse("/usr/bin"))
        .filter(folder -> !folder.isEmpty())
        .map(Path::of)
        .toList();
    return names.stream()
        .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
        .filter(Files::isRegularFile)
        .filter(Files::isExecutable)
        .findFirst();
  }

  private boolean isOne(String variable) {
    return "1".equals(environment.get(variable));
  }

  private Optional<String> value(String variable) {
    return Optional.of(environment.getOrDefault(variable, "")).filter(value -> !value.isBlank());
  }
}
