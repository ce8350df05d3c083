package dev.runlane.connector.server;

import dev.runlane.connector.controller.ConnectorControllerOptions;
import dev.runlane.connector.controller.ConnectorRegistries;
import dev.runlane.connector.controller.ConnectorRegistry;
import dev.runlane.connector.controller.SecretSource;
import dev.runlane.connector.schedule.SchedulerOptions;
import dev.runlane.run.RunlaneException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a server of connectors runs, for whom, and where. */
public final class ConnectorServerOptions {
  /** Only this machine's own processes reach it = 127.0.0.1. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** The port of the routes = 8377. */
  public static final int DEFAULT_PORT = 8377;

  private static final int SHORTEST_TOKEN = 16;
  private static final int LAST_PORT = 65_535;

  private ConnectorRegistries registries =
      new ConnectorRegistries(ConnectorRegistry.empty(), ConnectorRegistry.empty());
  private SecretSource secrets = SecretSource.environment(Map.of());
  private ConnectorControllerOptions controller = new ConnectorControllerOptions();
  private SchedulerOptions scheduler = new SchedulerOptions();
  private String host = DEFAULT_HOST;
  private int port = DEFAULT_PORT;
  private @Nullable String ownerToken;

  /** The defaults, without connectors and without a token. */
  public ConnectorServerOptions() {}

  /** A copy. */
  public ConnectorServerOptions(ConnectorServerOptions other) {
    registries = other.registries;
    secrets = other.secrets;
    controller = new ConnectorControllerOptions(other.controller);
    scheduler = new SchedulerOptions(other.scheduler);
    host = other.host;
    port = other.port;
    ownerToken = other.ownerToken;
  }

  /** Which connectors there are. */
  public ConnectorRegistries getRegistries() {
    return registries;
  }

  /** Sets which connectors there are: fixtures and polyfills. */
  public ConnectorServerOptions setRegistries(ConnectorRegistries registries) {
    this.registries = registries;
    return this;
  }

  /** Sets the connectors of one folder of connector folders. */
  public ConnectorServerOptions setConnectors(ConnectorRegistry connectors) {
    return setRegistries(new ConnectorRegistries(ConnectorRegistry.empty(), connectors));
  }

  /** Where secrets come from; nowhere unless set. */
  public SecretSource getSecrets() {
    return secrets;
  }

  /** Sets where secrets come from. */
  public ConnectorServerOptions setSecrets(SecretSource secrets) {
    this.secrets = secrets;
    return this;
  }

  /** How runs are controlled. */
  public ConnectorControllerOptions getController() {
    return new ConnectorControllerOptions(controller);
  }

  /** Sets how runs are controlled, the environment that connectors may inherit from included. */
  public ConnectorServerOptions setController(ConnectorControllerOptions controller) {
    this.controller = new ConnectorControllerOptions(controller);
    return this;
  }

  /** How schedules are looked at. */
  public SchedulerOptions getScheduler() {
    return new SchedulerOptions(scheduler);
  }

  /** Sets how schedules are looked at. */
  public ConnectorServerOptions setScheduler(SchedulerOptions scheduler) {
    this.scheduler = new SchedulerOptions(scheduler);
    return this;
  }

  /** The address the routes listen on. */
  public String getHost() {
    return host;
  }

  /** Sets the address the routes listen on. Requests are not encrypted: beyond this machine a proxy does that. */
  public ConnectorServerOptions setHost(String host) {
    this.host = host;
    return this;
  }

  /** The port of the routes. */
  public int getPort() {
    return port;
  }

  /** Sets the port of the routes: 0 to 65535, where 0 is any that is free. */
  public ConnectorServerOptions setPort(int port) {
    if (port < 0 || port > LAST_PORT) {
      throw RunlaneException.configurationInvalid(
          "port must be 0 to %d, but is %d", LAST_PORT, port);
    }
    this.port = port;
    return this;
  }

  /** What the owner's requests carry, or null where none was set. */
  public @Nullable String getOwnerToken() {
    return ownerToken;
  }

  /** Sets what the owner's requests carry, as {@code Authorization: Bearer TOKEN}: at least 16 characters. */
  public ConnectorServerOptions setOwnerToken(String ownerToken) {
    if (ownerToken.length() < SHORTEST_TOKEN) {
      throw RunlaneException.configurationInvalid(
          "ownerToken must have at least %d characters", SHORTEST_TOKEN);
    }
    this.ownerToken = ownerToken;
    return this;
  }
}
