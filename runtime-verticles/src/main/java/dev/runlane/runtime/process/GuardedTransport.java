package dev.runlane.runtime.process;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliverySource;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.TransportProbe;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Wraps the application's transport: what it throws and answers that fit no attempt become failed futures. */
public record GuardedTransport(TransportAdapter transport) implements TransportAdapter {
  @Override
  public Set<TransportCapability> capabilities() {
    return transport.capabilities();
  }

  @Override
  public Optional<List<QueuePolicy>> queues() {
    return transport.queues();
  }

  @Override
  public Future<Void> start() {
    return AdapterCall.of("transport.start", transport::start);
  }

  @Override
  public Future<Void> close() {
    return AdapterCall.of("transport.close", transport::close);
  }

  @Override
  public Optional<DeliverySource> deliveries() {
    return transport.deliveries();
  }

  @Override
  public Optional<TransportProbe> probe() {
    return transport.probe().map(probe -> () -> AdapterCall.of("transport.probe", probe::probe));
  }

  @Override
  public Optional<WakeupSource> wakeups() {
    return transport.wakeups();
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return AdapterCall.of("transport.publishWakeups", () -> transport.publishWakeups(command))
        .compose(outcomes -> outcomes != null
                && outcomes.size() == command.attempts().size()
            ? Future.succeededFuture(outcomes)
            : Future.failedFuture(RunlaneException.adapterContractViolation(
                "transport.publishWakeups answered %s outcomes for %d attempts",
                outcomes == null ? "no" : outcomes.size(), command.attempts().size())));
  }
}
