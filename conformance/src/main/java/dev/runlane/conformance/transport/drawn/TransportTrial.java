package dev.runlane.conformance.transport.drawn;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.drawn.Trial;
import dev.runlane.conformance.fixture.TransportFixture;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** Holds transports to the model. */
public final class TransportTrial {
  /** Sequences where nothing else is said = 40. */
  public static final int SEQUENCES = 40;

  /** Sequences about consumers = 6, since a broker takes its time to share wakeups out anew. */
  private static final int SEQUENCES_OF_CONSUMERS = 6;

  private static final int COMMANDS = 30;

  /** How long is waited for what should arrive = 60 s, since a broker on a busy machine takes its time. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Subject subject;
  private final Trial<TransportParty, TransportModel> trial;

  private TransportTrial(Subject subject, Trial<TransportParty, TransportModel> trial) {
    this.subject = subject;
    this.trial = trial;
  }

  /** Of two transports that the fixture opens, which take turns as processes would. */
  public static TransportTrial of(
      TransportFixture fixture,
      TransportAdapter transport,
      List<Context> contexts,
      Subject subject) {
    return of(fixture, transport, contexts, subject, PATIENCE);
  }

  /** The same, which waits less long. */
  public static TransportTrial of(
      TransportFixture fixture,
      TransportAdapter transport,
      List<Context> contexts,
      Subject subject,
      Duration patience) {
    Audience audience = new Audience(contexts.get(0).owner(), patience);
    Map<String, Subscription> subscriptions = new ConcurrentHashMap<>();
    Map<String, TransportParty.Consumer> consumers = new ConcurrentHashMap<>();
    List<TransportParty> parties = new ArrayList<>();
    for (TransportAdapter each : List.of(transport, Outcomes.done(fixture.open()))) {
      parties.add(new TransportParty(
          fixture, each, contexts.get(parties.size()), audience, subscriptions, consumers));
    }
    return new TransportTrial(
        subject, new Trial<>(new TransportContract(subject, fixture.queue(), transport), parties));
  }

  /** Fails with the story of the first sequence that is answered wrongly. */
  public void holds() {
    trial.holds(sequences(), 1, COMMANDS);
  }

  /** The first of the default sequences that is answered wrongly; empty when all are answered rightly. */
  public OptionalLong firstWronglyAnswered() {
    return trial.firstWronglyAnswered(sequences(), COMMANDS);
  }

  private int sequences() {
    return subject == Subject.DELIVERIES ? SEQUENCES_OF_CONSUMERS : SEQUENCES;
  }
}
