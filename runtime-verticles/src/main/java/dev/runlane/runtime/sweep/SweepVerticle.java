package dev.runlane.runtime.sweep;

import dev.runlane.runtime.process.RuntimeContext;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Starts and stops one role; all that a verticle of a maintenance role is. */
public abstract class SweepVerticle extends VerticleBase {
  private final RuntimeContext runtime;
  private final String name;
  private final SweepRole role;
  private final SweepOptions<?> options;
  private @Nullable RoleLoop loop;

  /** One role, which sweeps while this verticle is deployed. */
  public SweepVerticle(
      RuntimeContext runtime, String name, SweepRole role, SweepOptions<?> options) {
    this.runtime = runtime;
    this.name = name;
    this.role = role;
    this.options = options;
  }

  /** Arms the first sweep, for the next turn of this verticle's context. */
  @Override
  public final Future<?> start() {
    Executor home = action -> context.runOnContext(turn -> action.run());
    loop = new RoleLoop(runtime, name, role, options, home);
    loop.start();
    return Future.succeededFuture();
  }

  /** Begins no further sweep and waits for the one in flight, as long as the drain timeout says. */
  @Override
  public final Future<?> stop() {
    return loop == null ? Future.succeededFuture() : loop.stop();
  }
}
