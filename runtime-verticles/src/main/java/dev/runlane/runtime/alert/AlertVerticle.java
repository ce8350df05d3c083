package dev.runlane.runtime.alert;

import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.RoleLoop;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * While it is deployed, looks at the rules of the environment and tells its channels, at least once each. Several
 * instances, in whichever processes, share the work: one of them looks at a time, and a channel is told by those that
 * have it. Closes its channels when it ends.
 */
public final class AlertVerticle extends VerticleBase {
  private final RuntimeContext runtime;
  private final List<AlertChannel> channels;
  private final AlertOptions options;
  private @Nullable RoleLoop loop;

  /** A verticle for one deployment, with the default options. */
  public AlertVerticle(RoleRuntime runlane, List<AlertChannel> channels) {
    this(runlane, channels, new AlertOptions());
  }

  /** A verticle for one deployment; options are copied. */
  public AlertVerticle(RoleRuntime runlane, List<AlertChannel> channels, AlertOptions options) {
    this.runtime = runlane.context();
    this.channels = List.copyOf(channels);
    this.options = new AlertOptions(options);
  }

  /**
   * Arms the first sweep. Fails with {@code CapabilityUnsupported} where the storage keeps nothing for operators, and
   * with {@code ConfigurationInvalid} where a channel is given twice.
   */
  @Override
  public Future<?> start() {
    AlertWatch watch = new AlertWatch(
        runtime, channels, options, (channel, notice) -> channel.tell(vertx, notice));
    RoleLoop begun = new RoleLoop(
        runtime,
        "watcher of alerts",
        watch,
        options,
        action -> context.runOnContext(turn -> action.run()));
    loop = begun;
    begun.start();
    return Future.succeededFuture();
  }

  /** Begins no further sweep, waits for the one in flight for the drain timeout at most, and closes the channels. */
  @Override
  public Future<?> stop() {
    Future<?> ended = loop == null ? Future.succeededFuture() : loop.stop();
    return ended.eventually(
        () -> Future.join(channels.stream().map(AlertChannel::close).toList()));
  }
}
