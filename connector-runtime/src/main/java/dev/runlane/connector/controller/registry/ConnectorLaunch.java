package dev.runlane.connector.controller.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.process.ChildEnvironment;
import dev.runlane.connector.process.ChildUser;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How a connector is started: its folder's {@code launch.json}.
 *
 * <pre>{@code
 * {"command": ["node", "dist/shelf.js"], "working_directory": ".", "environment": {"MODE": "full"},
 *  "secrets": ["SHELF_TOKEN"], "browser_surface": "http://127.0.0.1:9222", "proxies": false,
 *  "user": "shelf"}
 * }</pre>
 *
 * @param command the program and its arguments
 * @param workingDirectory where it starts, seen from the folder
 * @param environment what it sees besides what every connector sees; no secrets
 * @param secrets the names of the secrets it needs
 * @param browserSurface where its browser answers, http or https; empty when it has none
 * @param proxies whether it may use the host's proxies
 * @param user whom it runs as; empty for the controller's own user
 */
public record ConnectorLaunch(
    List<String> command,
    Path workingDirectory,
    Map<String, String> environment,
    List<String> secrets,
    Optional<URI> browserSurface,
    ChildEnvironment.Proxies proxies,
    Optional<String> user) {
  private static final Set<String> MEMBERS = Set.of(
      "command",
      "working_directory",
      "environment",
      "secrets",
      "browser_surface",
      "proxies",
      "user");

  /** Copies the collections. */
  public ConnectorLaunch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    secrets = List.copyOf(secrets);
  }

  /** Reads one. Fails with {@link ErrorCode#CONNECTOR_INVALID}, naming the member, for what cannot be used. */
  static ConnectorLaunch read(JsonNode json) {
    require(json.isObject(), "it is not an object");
    json.fieldNames()
        .forEachRemaining(
            name -> require(MEMBERS.contains(name), "it has no member of one of these names"));
    List<String> command = texts(json, "command");
    require(!command.isEmpty() && !command.get(0).isBlank(), "command names no program");
    List<String> secrets = texts(json, "secrets");
    for (String name : secrets) {
      require(!ChildEnvironment.isReserved(name), "secrets holds the reserved name " + name);
    }
    Optional<String> user = text(json, "user");
    require(user.filter(name -> !ChildUser.isName(name)).isEmpty(), "user is no user's name");
    return new ConnectorLaunch(
        command,
        directory(text(json, "working_directory").orElse(".")),
        environment(json.path("environment")),
        secrets,
        text(json, "browser_surface").map(ConnectorLaunch::surface),
        proxies(json.path("proxies")),
        user);
  }

  private static Path directory(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException malformed) {
      throw invalid("working_directory is no path");
    }
  }

  private static ChildEnvironment.Proxies proxies(JsonNode value) {
    require(value.isMissingNode() || value.isBoolean(), "proxies is neither true nor false");
    return value.asBoolean(false)
        ? ChildEnvironment.Proxies.APPROVED
        : ChildEnvironment.Proxies.HIDDEN;
  }

  private static List<String> texts(JsonNode json, String name) {
    List<String> texts = new ArrayList<>();
    JsonNode list = json.path(name);
    require(list.isMissingNode() || list.isArray(), name + " is not a list");
    list.forEach(item -> {
      require(item.isTextual(), name + " holds something that is not text");
      texts.add(item.textValue());
    });
    return texts;
  }

  private static Optional<String> text(JsonNode json, String name) {
    JsonNode value = json.path(name);
    require(value.isMissingNode() || value.isTextual(), name + " is not text");
    return Optional.ofNullable(value.textValue());
  }

  private static Map<String, String> environment(JsonNode json) {
    Map<String, String> environment = new LinkedHashMap<>();
    require(json.isMissingNode() || json.isObject(), "environment is not an object");
    json.properties().forEach(entry -> {
      require(entry.getValue().isTextual(), "environment holds something that is not text");
      environment.put(entry.getKey(), entry.getValue().textValue());
    });
    return environment;
  }

  private static URI surface(String text) {
    try {
      URI address = new URI(text);
      boolean http = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
      require(http && address.getHost() != null, "browser_surface is no http address");
      return address;
    } catch (URISyntaxException malformed) {
      throw invalid("browser_surface is no http address");
    }
  }

  private static void require(boolean condition, String fault) {
    if (!condition) {
      throw invalid(fault);
    }
  }

  private static RunlaneException invalid(String fault) {
    return RunlaneException.of(
        ErrorCode.CONNECTOR_INVALID, "launch.json cannot be used: %s", fault);
  }

  /** Arguments and values may say more than a log should. */
  @Override
  public String toString() {
    return "ConnectorLaunch[" + command.get(0) + "]";
  }
}
