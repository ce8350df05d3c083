package dev.runlane.runtime.alert;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.RoleRuntime;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.sweep.RoleLoop;
import dev.runlane.timing.FailureLog;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While it is deployed, looks at the rules of the environment and tells its channels, at least once each. Several
 * instances, in whichever processes, share the work: one of them looks at a time, and a channel is told by those that
 * have it. Closes its channels when it ends.
 */
public final class AlertVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(AlertVerticle.class);

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

  /**
   * Begins no further sweep, waits for the one in flight for the drain timeout at most, and closes the channels, for as
   * long at most. One that does not close is told of in the log.
   */
  @Override
  public Future<?> stop() {
    Future<?> ended = loop == null ? Future.succeededFuture() : loop.stop();
    return ended.eventually(() -> Future.join(channels.stream().map(this::close).toList()));
  }

  private Future<Void> close(AlertChannel channel) {
    return runtime
        .timers()
        .within(
            options.getDrainTimeout(),
            AdapterCall.of("AlertChannel.close", channel::close),
            () -> RunlaneException.of(
                    ErrorCode.OPERATION_CANCELLED,
                    "channel %s did not close within %s",
                    channel.name(),
                    options.getDrainTimeout())
                .asRetryable())
        .onFailure(failure -> LOG.warn(
            "channel {} of alerts did not close", channel.name(), FailureLog.readable(failure)));
  }
}
