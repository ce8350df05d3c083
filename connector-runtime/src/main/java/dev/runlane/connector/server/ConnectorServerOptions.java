package dev.runlane.connector.server;

import static dev.runlane.options.OptionTypes.code;
import static dev.runlane.options.OptionTypes.filled;
import static dev.runlane.options.OptionTypes.nested;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.connector.controller.ConnectorControllerOptions;
import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.controller.registry.SecretSource;
import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.schedule.ConnectorRetentionOptions;
import dev.runlane.connector.schedule.SchedulerOptions;
import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.worker.WorkerOptions;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a server of connectors runs, for whom, and where. */
public final class ConnectorServerOptions extends OptionValues<ConnectorServerOptions> {
  /** Only this machine's own processes reach it = 127.0.0.1. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** The port of the routes = 8377. */
  public static final int DEFAULT_PORT = 8377;

  private static final int SHORTEST_TOKEN = 16;

  private static final OptionSet OPTIONS = OptionSet.of("a server of connectors");
  private static final Option<ConnectorRegistries> REGISTRIES = OPTIONS.add(
      "registries",
      new ConnectorRegistries(ConnectorRegistry.empty(), ConnectorRegistry.empty()),
      code());
  private static final Option<SecretSource> SECRETS =
      OPTIONS.add("secrets", SecretSource.environment(Map.of()), code());
  private static final Option<ConnectorControllerOptions> CONTROLLER = OPTIONS.add(
      "controller",
      new ConnectorControllerOptions(),
      nested(ConnectorControllerOptions::new, ConnectorControllerOptions::new));
  private static final Option<SchedulerOptions> SCHEDULER = OPTIONS.add(
      "scheduler", new SchedulerOptions(), nested(SchedulerOptions::new, SchedulerOptions::new));
  private static final Option<ConnectorRunOptions> RUNS = OPTIONS.add(
      "runs",
      new ConnectorRunOptions(),
      nested(ConnectorRunOptions::new, ConnectorRunOptions::new));
  private static final Option<ChildProcessOptions> CHILDREN = OPTIONS.add(
      "children",
      new ChildProcessOptions(),
      nested(ChildProcessOptions::new, ChildProcessOptions::new));
  private static final Option<WorkerOptions> WORKER =
      OPTIONS.add("worker", new WorkerOptions(), nested(WorkerOptions::new, WorkerOptions::new));
  private static final Option<ConnectorRetentionOptions> RETENTION = OPTIONS.add(
      "retention",
      new ConnectorRetentionOptions(),
      nested(ConnectorRetentionOptions::new, ConnectorRetentionOptions::new));
  private static final Option<RetentionOptions> RUN_RETENTION = OPTIONS.add(
      "runRetention", new RetentionOptions(), nested(RetentionOptions::new, RetentionOptions::new));
  private static final Option<String> HOST = OPTIONS.add("host", DEFAULT_HOST, filled());
  private static final Option<Integer> PORT = OPTIONS.add("port", DEFAULT_PORT, whole(0, 65_535));
  private static final Option<String> OWNER_TOKEN = OPTIONS.add(
      "ownerToken",
      null,
      text()
          .checked("text of at least 16 characters", ConnectorServerOptions::requireLong)
          .unwritten());

  /** The defaults, without connectors and without a token. */
  public ConnectorServerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public ConnectorServerOptions(ConnectorServerOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public ConnectorServerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Which connectors there are. */
  public ConnectorRegistries getRegistries() {
    return get(REGISTRIES);
  }

  /** Sets which connectors there are: fixtures and polyfills. */
  public ConnectorServerOptions setRegistries(ConnectorRegistries registries) {
    return set(REGISTRIES, registries);
  }

  /** Sets the connectors of one folder of connector folders. */
  public ConnectorServerOptions setConnectors(ConnectorRegistry connectors) {
    return setRegistries(new ConnectorRegistries(ConnectorRegistry.empty(), connectors));
  }

  /** Where secrets come from; nowhere unless set. */
  public SecretSource getSecrets() {
    return get(SECRETS);
  }

  /** Sets where secrets come from. */
  public ConnectorServerOptions setSecrets(SecretSource secrets) {
    return set(SECRETS, secrets);
  }

  /** How runs are controlled. */
  public ConnectorControllerOptions getController() {
    return get(CONTROLLER);
  }

  /** Sets how runs are controlled, the environment that connectors may inherit from included. */
  public ConnectorServerOptions setController(ConnectorControllerOptions controller) {
    return set(CONTROLLER, controller);
  }

  /** How schedules are looked at. */
  public SchedulerOptions getScheduler() {
    return get(SCHEDULER);
  }

  /** Sets how schedules are looked at. */
  public ConnectorServerOptions setScheduler(SchedulerOptions scheduler) {
    return set(SCHEDULER, scheduler);
  }

  /** How long runs take at most, and what else bounds them. */
  public ConnectorRunOptions getRuns() {
    return get(RUNS);
  }

  /** Sets how long runs take at most, and what else bounds them. */
  public ConnectorServerOptions setRuns(ConnectorRunOptions runs) {
    return set(RUNS, runs);
  }

  /** What bounds the processes of connectors, and how they end. */
  public ChildProcessOptions getChildren() {
    return get(CHILDREN);
  }

  /** Sets what bounds the processes of connectors, and how they end. */
  public ConnectorServerOptions setChildren(ChildProcessOptions children) {
    return set(CHILDREN, children);
  }

  /** How runs are claimed, and how many this server has at a time. */
  public WorkerOptions getWorker() {
    return get(WORKER);
  }

  /** Sets how runs are claimed, and how many this server has at a time. */
  public ConnectorServerOptions setWorker(WorkerOptions worker) {
    return set(WORKER, worker);
  }

  /** What is deleted of timelines, of the history and of changes of records; nothing unless set. */
  public ConnectorRetentionOptions getRetention() {
    return get(RETENTION);
  }

  /** Sets what is deleted of timelines, of the history and of changes of records. */
  public ConnectorServerOptions setRetention(ConnectorRetentionOptions retention) {
    return set(RETENTION, retention);
  }

  /** Which ended runs of the lane are removed, of whatever task; none unless an age is set. */
  public RetentionOptions getRunRetention() {
    return get(RUN_RETENTION);
  }

  /**
   * Sets which ended runs of the lane are removed. A run of a connector is one of the lane's, whose handle and timeline
   * stay when it is removed. Of the lane's other runs those go, too.
   */
  public ConnectorServerOptions setRunRetention(RetentionOptions retention) {
    return set(RUN_RETENTION, retention);
  }

  /** The address the routes listen on, in clear text: beyond this machine behind a proxy with TLS. */
  public String getHost() {
    return get(HOST);
  }

  /** Sets the address the routes listen on. Requests are not encrypted: beyond this machine a proxy does that. */
  public ConnectorServerOptions setHost(String host) {
    return set(HOST, host);
  }

  /** The port of the routes. */
  public int getPort() {
    return get(PORT);
  }

  /** Sets the port of the routes: 0 to 65535, where 0 is any that is free. */
  public ConnectorServerOptions setPort(int port) {
    return set(PORT, port);
  }

  /** What the owner's requests carry, or null where none was set. */
  public @Nullable String getOwnerToken() {
    return orNull(OWNER_TOKEN);
  }

  /** Sets what the owner's requests carry, as {@code Authorization: Bearer TOKEN}: at least 16 characters. */
  public ConnectorServerOptions setOwnerToken(String ownerToken) {
    return set(OWNER_TOKEN, ownerToken);
  }

  private static String requireLong(String option, String token) {
    if (token.length() < SHORTEST_TOKEN) {
      throw RunlaneException.configurationInvalid(
          "%s must have at least %d characters", option, SHORTEST_TOKEN);
    }
    return token;
  }
}
