package dev.runlane.runtime.worker;

import dev.runlane.runtime.process.RoleRuntime;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/**
 * While it is deployed, keeps the process's lease heartbeater awake. It need not be: the heartbeater starts
 * with the first worker, however that was deployed, and stops after the last attempt. There is one for all
 * leases of the runtime, whatever number of instances is deployed.
 */
public final class LeaseHeartbeaterVerticle extends VerticleBase {
  private final RoleRuntime runlane;

  /** A verticle for one deployment. */
  public LeaseHeartbeaterVerticle(RoleRuntime runlane) {
    this.runlane = runlane;
  }

  @Override
  public Future<?> start() {
    return runlane.context().host().<Void>call(() -> {
      runlane.context().leases().retain();
      return Future.succeededFuture();
    });
  }

  @Override
  public Future<?> stop() {
    runlane.context().host().execute(() -> runlane.context().leases().release());
    return Future.succeededFuture();
  }
}
