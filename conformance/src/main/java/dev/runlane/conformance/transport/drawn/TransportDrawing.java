package dev.runlane.conformance.transport.drawn;

import dev.runlane.conformance.drawn.Drawing;
import dev.runlane.conformance.kit.Given;
import dev.runlane.run.Environment;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishWakeups;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What is drawn of one seed: wakeups that are easily taken for one another, and who waits for them. */
final class TransportDrawing implements Drawing {
  private static final List<Environment> ENVIRONMENTS =
      List.of(new Environment("here"), new Environment("Here"), new Environment("there"));
  private static final List<String> RUNS = List.of(
      "run_1", "RUN_1", "run_\u00e4\ud83d\ude80'\"\\", "run 1", "r".repeat(128), "run_2", "run_3");
  private static final List<String> GROUPS = List.of("k", "K", "\u00e4 k");
  private static final List<String> LISTENERS = List.of("first", "second", "third");
  private static final List<String> CONSUMERS = List.of("one", "two");
  private static final List<Map<String, String>> TRACES = List.of(
      Map.of("traceparent", "00-0af7651916cd43dd8448eb211c80319c-01", "tracestate", "a=b,c=d"),
      Map.of("tracestate", ""));

  private static final int USUAL_WAKEUPS = 5;
  private static final int MANY_WAKEUPS = 400;
  private static final String MALFORMED = "a:b";

  private final Random random;
  private final Subject subject;
  private final String queue;
  private final TransportModel model;
  private final boolean readsProvider;

  TransportDrawing(long seed, Subject subject, String queue, TransportModel model) {
    this.random = new Random(seed * 31 + 17); // neighbouring seeds begin alike
    this.subject = subject;
    this.queue = queue;
    this.model = model;
    this.readsProvider = seed % 8 == 0; // a broker takes half a second to tell
  }

  @Override
  public Object next() {
    for (int tries = 0; tries < 10; tries++) {
      TransportCommand drawn = draw();
      if (model.isPossible(drawn)) {
        return drawn;
      }
    }
    return publish();
  }

  private TransportCommand draw() {
    int what = random.nextInt(10);
    if (what < 6) {
      return publish();
    }
    if (what < 7) {
      return new TransportCommand.RefuseNext(1 + random.nextInt(3));
    }
    return switch (subject) {
      case PUBLISHING -> publish();
      case WAKEUPS ->
        what < 9
            ? new TransportCommand.Subscribe(anyOf(LISTENERS), anyOf(ENVIRONMENTS))
            : new TransportCommand.Unsubscribe(anyOf(LISTENERS));
      case DELIVERIES ->
        random.nextInt(4) > 0
            ? publish()
            : random.nextBoolean() || model.consumers().isEmpty()
                ? new TransportCommand.Consume(anyOf(CONSUMERS))
                : new TransportCommand.StopConsuming(anyOf(CONSUMERS));
    };
  }

  @Override
  public boolean looks() {
    return subject != Subject.PUBLISHING
        && random.nextInt(subject == Subject.WAKEUPS ? 4 : 8)
            == 0; // a failed delivery takes a while to return
  }

  @Override
  public Object look() {
    if (subject == Subject.DELIVERIES) {
      return new TransportCommand.Settled(ENVIRONMENTS.get(0));
    }
    List<String> listeners = model.listeners();
    return listeners.isEmpty() ? publish() : new TransportCommand.Heard(anyOf(listeners));
  }

  @Override
  public List<Object> everything() {
    List<Object> all = new ArrayList<>();
    if (subject == Subject.DELIVERIES) {
      all.addAll(List.of(
          new TransportCommand.Consume("last"), new TransportCommand.Settled(ENVIRONMENTS.get(0))));
    }
    model.listeners().forEach(each -> all.add(new TransportCommand.Heard(each)));
    if (readsProvider) {
      all.add(new TransportCommand.Received(ENVIRONMENTS.get(0)));
    }
    return all;
  }

  @Override
  public void learn(Object command, @Nullable Object answer) {} // the model knows

  private TransportCommand publish() {
    int size = random.nextInt(30) == 0 ? MANY_WAKEUPS : random.nextInt(USUAL_WAKEUPS + 1);
    List<Environment> environments =
        model.isRefusing() ? List.of(anyOf(ENVIRONMENTS)) : ENVIRONMENTS;
    List<PublishWakeups.Attempt> attempts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      String run = size == MANY_WAKEUPS ? "many_" + i : run();
      attempts.add(attempt("msg_" + i, anyOf(environments), run));
    }
    if (size > 0 && random.nextInt(8) == 0) {
      int spoiled = random.nextInt(size);
      attempts.set(spoiled, spoiled(attempts.get(spoiled), attempts));
    }
    return new TransportCommand.Publish(new PublishWakeups(attempts));
  }

  private PublishWakeups.Attempt attempt(String messageId, Environment environment, String runId) {
    DeliveryMessage message = new DeliveryMessage(
        environment,
        runId,
        queue,
        Given.NOON.plusNanos(1_000L * random.nextInt(3)),
        random.nextInt(3) == 0 ? anyOf(TRACES) : null);
    return new PublishWakeups.Attempt(
        messageId, "tok", message, random.nextInt(3) == 0 ? anyOf(GROUPS) : null);
  }

  private String run() {
    if (subject == Subject.DELIVERIES && random.nextInt(8) == 0) {
      return anyOf(List.of(Audience.FAILING, Audience.SLOW)) + "_" + random.nextInt(100);
    }
    return anyOf(RUNS);
  }

  /** The same attempt, malformed in one part, or named as another one of the command is. */
  private PublishWakeups.Attempt spoiled(
      PublishWakeups.Attempt right, List<PublishWakeups.Attempt> all) {
    DeliveryMessage message = right.message();
    return switch (random.nextInt(8)) {
      case 0 -> new PublishWakeups.Attempt(MALFORMED, right.claimToken(), message);
      case 1 -> new PublishWakeups.Attempt(right.outboxMessageId(), "", message);
      case 2 -> with(right, new Environment(MALFORMED), message.runId(), queue);
      case 3 -> with(right, message.environment(), "", queue);
      case 4 -> with(right, message.environment(), MALFORMED, queue);
      case 5 -> with(right, message.environment(), message.runId(), MALFORMED);
      case 6 ->
        new PublishWakeups.Attempt(right.outboxMessageId(), right.claimToken(), message, "");
      default ->
        all.size() == 1
            ? new PublishWakeups.Attempt("", right.claimToken(), message)
            : new PublishWakeups.Attempt(
                all.get(right.equals(all.get(0)) ? 1 : 0).outboxMessageId(),
                right.claimToken(),
                message);
    };
  }

  private static PublishWakeups.Attempt with(
      PublishWakeups.Attempt right, Environment environment, String runId, String queue) {
    return new PublishWakeups.Attempt(
        right.outboxMessageId(),
        right.claimToken(),
        new DeliveryMessage(environment, runId, queue, right.message().requestedAt(), null));
  }

  private <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
