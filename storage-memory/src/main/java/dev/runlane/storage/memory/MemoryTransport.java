package dev.runlane.storage.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Hands wakeups to subscribers in the same process: each publish is one call of each listener of the
 * environment, on the Vert.x context it subscribed on, or on the publisher's thread where it subscribed
 * on none. Keeps nothing, promises nothing durable, and takes wakeups unless it is closed.
 */
public final class MemoryTransport implements TransportAdapter, WakeupSource {
  private final Subscribers<WakeupListener> subscribers;
  private final @Nullable List<QueuePolicy> queues;
  private volatile boolean closed;

  /** A transport for queues of any name. */
  public MemoryTransport() {
    this(new Subscribers<>(), null);
  }

  /** A transport that is bound to these queues and refuses wakeups of others. */
  public MemoryTransport(List<QueuePolicy> queues) {
    this(new Subscribers<>(), List.copyOf(queues));
  }

  private MemoryTransport(
      Subscribers<WakeupListener> subscribers, @Nullable List<QueuePolicy> queues) {
    this.subscribers = subscribers;
    this.queues = queues;
  }

  /**
   * Another transport with the same queues and the same subscribers, as another process would have it:
   * it starts and closes on its own.
   */
  public MemoryTransport another() {
    return new MemoryTransport(subscribers, queues);
  }

  @Override
  public Set<TransportCapability> capabilities() {
    return Set.of();
  }

  @Override
  public Optional<List<QueuePolicy>> queues() {
    return Optional.ofNullable(queues);
  }

  /** Takes wakeups, after it was closed too. */
  @Override
  public Future<Void> start() {
    closed = false;
    return Future.succeededFuture();
  }

  /** Publishing fails with {@link ErrorCode#TRANSPORT_UNAVAILABLE} from now on. */
  @Override
  public Future<Void> close() {
    closed = true;
    return Future.succeededFuture();
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return AdapterCall.of("publishWakeups", () -> {
      PublishChecks.check(command);
      if (queues != null) {
        PublishChecks.checkBound(
            command, queues.stream().map(QueuePolicy::queue).collect(Collectors.toSet()));
      }
      if (closed) {
        throw RunlaneException.unavailable(
            ErrorCode.TRANSPORT_UNAVAILABLE, null, "the transport is closed");
      }
      byEnvironment(command)
          .forEach((environment, messages) ->
              subscribers.deliver(environment, listener -> listener.onWakeups(messages)));
      return Future.succeededFuture(command.attempts().stream()
          .<WakeupPublishOutcome>map(attempt -> new WakeupPublishOutcome.Published(null))
          .toList());
    });
  }

  @Override
  public Optional<WakeupSource> wakeups() {
    return Optional.of(this);
  }

  @Override
  public Future<Subscription> subscribe(Environment environment, WakeupListener listener) {
    return Future.succeededFuture(subscribers.add(environment, listener));
  }

  private static Map<Environment, List<DeliveryMessage>> byEnvironment(PublishWakeups command) {
    Map<Environment, List<DeliveryMessage>> messages = new LinkedHashMap<>();
    for (PublishWakeups.Attempt attempt : command.attempts()) {
      messages
          .computeIfAbsent(attempt.message().environment(), environment -> new ArrayList<>())
          .add(attempt.message());
    }
    messages.replaceAll((environment, list) -> List.copyOf(list));
    return messages;
  }
}
