package dev.runlane.testinfra.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What every embedded server is configured with before it starts. A builder may start several servers.
 *
 * @param <B> the builder itself
 * @param <S> the server
 */
public abstract class ServerBuilder<B extends ServerBuilder<B, S>, S extends EmbeddedServer> {
  /** Time for a start, crash recovery included = 60 s. */
  public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(60);

  private static final int MOST_PORT = 65535;

  private final Pattern settingName;
  private final Set<String> launchersOwn;
  public final Map<String, String> settings = new TreeMap<>();

  @Nullable
  public Path dataFolder;

  public Duration startTimeout = DEFAULT_START_TIMEOUT;
  public int port;

  /**
   * A temporary server on a free port.
   *
   * @param launchersOwn settings that a caller must not give
   */
  public ServerBuilder(Pattern settingName, Set<String> launchersOwn) {
    this.settingName = settingName;
    this.launchersOwn = launchersOwn;
  }

  public abstract B self();

  /** Starts the server and returns once it takes what its clients send. */
  public abstract S start();

  /**
   * Keeps the data in this folder, created if missing, and finds it there again in a later start. One
   * server at a time may use it. As root, PostgreSQL's must lie where {@code nobody} can enter.
   */
  public B dataFolder(Path folder) {
    dataFolder = folder.toAbsolutePath().normalize();
    return self();
  }

  /** Uses a new folder that is deleted with the server: the default. */
  public B temporary() {
    dataFolder = null;
    return self();
  }

  /** The port to listen on, 0 (the default) for any free one. */
  public B port(int wanted) {
    if (wanted < 0 || wanted > MOST_PORT) {
      throw new IllegalArgumentException("port must be between 0 and 65535, was " + wanted);
    }
    port = wanted;
    return self();
  }

  /**
   * A setting of the server, such as {@code max_connections} of a database or {@code message.max.bytes} of
   * a broker; wins over our own. It holds for this server object and is not stored in the data folder.
   */
  public B setting(String name, String value) {
    if (!settingName.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a setting's name must match " + settingName + ", was " + name);
    }
    if (launchersOwn.contains(name)) {
      throw new IllegalArgumentException("the setting " + name + " is the launcher's own");
    }
    settings.put(name, value);
    return self();
  }

  /** How long a start may take; a long crash recovery needs more than the default. */
  public B startTimeout(Duration atMost) {
    if (atMost.isNegative() || atMost.isZero()) {
      throw new IllegalArgumentException("startTimeout must be positive, was " + atMost);
    }
    startTimeout = atMost;
    return self();
  }
}
