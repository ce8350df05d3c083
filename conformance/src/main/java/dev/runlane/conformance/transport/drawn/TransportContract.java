package dev.runlane.conformance.transport.drawn;

import dev.runlane.conformance.drawn.Contract;
import dev.runlane.conformance.drawn.Drawing;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.model.Names;
import dev.runlane.run.QueuePolicy;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The contract of transports, of which one subject is drawn besides publishing. */
final class TransportContract implements Contract<TransportParty, TransportModel> {
  private final Subject subject;
  private final String queue;
  private final Set<String> bound;
  private final boolean durable;

  TransportContract(Subject subject, String queue, TransportAdapter transport) {
    this.subject = subject;
    this.queue = queue;
    this.bound = transport.queues().orElse(List.of()).stream()
        .map(QueuePolicy::queue)
        .collect(Collectors.toUnmodifiableSet());
    this.durable = transport.capabilities().contains(TransportCapability.DURABLE_DELIVERY);
  }

  @Override
  public TransportModel model(Names names) {
    return new TransportModel(names, bound, durable);
  }

  @Override
  public Drawing drawing(long seed, TransportModel model, TransportParty party, boolean alone) {
    return new TransportDrawing(seed, subject, queue, model);
  }

  @Override
  public boolean isPossible(TransportModel model, Object command) {
    return model.isPossible((TransportCommand) command);
  }

  @Override
  public Future<@Nullable Object> answer(TransportParty party, Object command) {
    return party.answer((TransportCommand) command).map(answer -> answer);
  }

  @Override
  public @Nullable Object expected(TransportModel model, Object command, @Nullable Object answer) {
    return model.answer((TransportCommand) command, answer);
  }

  @Override
  public void clear(TransportParty party, TransportModel model) {
    Outcomes.done(party.clear());
    if (model.isRefusing()) {
      Outcomes.done(party.answer(new TransportCommand.RefuseNext(0)));
    }
  }
}
