package dev.runlane.runtime.sweep;

import dev.runlane.runtime.process.LocalNotifications;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** A maintenance role: what one sweep does, without timers. Its sweeps never overlap. */
public interface SweepRole {
  /** One bounded pass; completes with true when more is waiting already. */
  Future<Boolean> sweepOnce();

  /** Completes when what sweeps have left under way has ended. */
  default Future<Void> settled() {
    return Future.succeededFuture();
  }

  /** The earliest instant at which this role knows to have something to do, looked at after each sweep. */
  default Optional<Instant> nextDue() {
    return Optional.empty();
  }

  /**
   * The pause before the next sweep where the last one left nothing waiting.
   *
   * @param usual the idle delay of the role's options
   */
  default Duration pause(Duration usual) {
    return usual;
  }

  /**
   * Registers for what the commits of this process tell the role.
   *
   * @param executor where listeners are called: the context of the sweeps
   * @param wakeIn asks for a sweep after a delay at the latest
   */
  default List<LocalNotifications.Registration> listen(
      Executor executor, Consumer<Duration> wakeIn) {
    return List.of();
  }
}
