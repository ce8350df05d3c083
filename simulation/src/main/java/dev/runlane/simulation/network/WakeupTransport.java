package dev.runlane.simulation.network;

import dev.runlane.simulation.world.Lifetime;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.TransportAdapter;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The transport of one world, of which each life of a process has an end. */
public interface WakeupTransport {
  /** The transport as one life of a process has it. */
  TransportAdapter of(Lifetime life);

  /** A consumer in this life that has not started; empty where the transport shares nothing out. */
  Optional<GroupMember> consumer(Lifetime life, DeliveryWorker worker);

  /** The outbox messages that were published at least once, as the transport saw it. */
  Set<String> offered();

  /** When each outbox message was sent off first, whether it came to the transport or not. */
  Map<String, Instant> firstTries();

  /** What nobody has dealt with yet, in words; empty when that is nothing. */
  String unsettled();
}
