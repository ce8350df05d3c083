package dev.runlane.conformance.transport.drawn;

import dev.runlane.run.Environment;
import dev.runlane.transport.PublishWakeups;

/** What is done with transports, their provider, and those who listen and consume. Answers are texts. */
public sealed interface TransportCommand {
  /** Answered with what became of each attempt. */
  record Publish(PublishWakeups wakeups) implements TransportCommand {}

  /** The provider refuses the next wakeups. */
  record RefuseNext(int count) implements TransportCommand {}

  /** Every wakeup that the provider has accepted in the sequence of this environment, in the order of their texts. */
  record Received(Environment of) implements TransportCommand {}

  /** A listener subscribes. */
  record Subscribe(String listener, Environment environment) implements TransportCommand {}

  /** The listener's subscription is closed. */
  record Unsubscribe(String listener) implements TransportCommand {}

  /** What the listener has heard, once it has heard all that it must or a while has passed. */
  record Heard(String listener) implements TransportCommand {}

  /** A consumer is deployed. */
  record Consume(String consumer) implements TransportCommand {}

  /** The consumer is undeployed. */
  record StopConsuming(String consumer) implements TransportCommand {}

  /** What consumers have dealt with of the same, once it is all that was accepted or a while has passed. */
  record Settled(Environment of) implements TransportCommand {}
}
