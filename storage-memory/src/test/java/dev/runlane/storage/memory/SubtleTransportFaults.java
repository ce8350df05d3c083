package dev.runlane.storage.memory;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.transport.drawn.Subject;
import dev.runlane.run.Environment;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.PublishWakeups.Attempt;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Transports that are wrong by a little: for the model, which names no case that fails. */
final class SubtleTransportFaults {
  private static final WakeupPublishOutcome PUBLISHED = new WakeupPublishOutcome.Published(null);
  private static final DeliveryResult DONE = new DeliveryResult.Ignored(IgnoredReason.TERMINAL);

  static final List<Fault> ALL = List.of(
      publishing(
          "takes runs of one command that differ by case for one",
          dropping(each -> each.toString().toLowerCase(Locale.ROOT))),
      publishing(
          "publishes equal wakeups of one command once", dropping(DeliveryMessage::toString)),
      publishing(
          "cuts the time of a wakeup to milliseconds",
          changing(each -> new DeliveryMessage(
              each.environment(),
              each.runId(),
              each.queue(),
              each.requestedAt().truncatedTo(ChronoUnit.MILLIS),
              each.traceCarrier()))),
      publishing(
          "leaves empty values of a trace out",
          changing(each -> new DeliveryMessage(
              each.environment(),
              each.runId(),
              each.queue(),
              each.requestedAt(),
              withoutEmpty(each.traceCarrier())))),
      publishing(
          "cuts the blanks out of run ids",
          changing(each -> new DeliveryMessage(
              each.environment(),
              each.runId().replace(" ", ""),
              each.queue(),
              each.requestedAt(),
              each.traceCarrier()))),
      publishing("publishes a hundred wakeups of a command", SubtleTransportFaults::hundred),
      publishing(
          "publishes what stands before a malformed attempt",
          (real, command) -> real.publishWakeups(command)
              .recover(failure ->
                  untilMalformed(real, command).compose(some -> Future.failedFuture(failure)))),
      publishing(
          "publishes a message once that its command names twice",
          (real, command) -> publishedOnceEach(real, command)),
      publishing(
          "takes an empty group key for none",
          (real, command) -> real.publishWakeups(new PublishWakeups(command.attempts().stream()
              .map(each -> "".equals(each.groupKey())
                  ? new Attempt(each.outboxMessageId(), each.claimToken(), each.message())
                  : each)
              .toList()))),
      publishing(
          "says published of the last one refused",
          (real, command) -> real.publishWakeups(command).map(SubtleTransportFaults::lastForgiven)),
      publishing(
          "publishes refused wakeups of a command once more",
          (real, command) -> real.publishWakeups(command)
              .compose(
                  outcomes -> real.publishWakeups(refused(command, outcomes)).map(outcomes))),
      listening(
          "takes environments that differ by case for one",
          source -> (environment, listener) -> source
              .subscribe(environment, listener)
              .compose(first -> isLowerCase(environment)
                  ? Future.succeededFuture(first)
                  : both(first, source.subscribe(inLowerCase(environment), listener)))),
      listening(
          "tells of the first wakeup of a call alone",
          source -> (environment, listener) ->
              source.subscribe(environment, hearing(listener, messages -> messages.subList(0, 1)))),
      listening(
          "tells of no more than a hundred wakeups of a call",
          source -> (environment, listener) -> source.subscribe(
              environment,
              hearing(listener, messages -> messages.subList(0, Math.min(100, messages.size()))))),
      listening("closes all subscriptions of an environment with one", closingAll()),
      listening("lets a later listener replace an earlier one", replacing()),
      listening(
          "leaves subscriptions open that are closed",
          source -> (environment, listener) ->
              source.subscribe(environment, listener).map(open -> () -> Future.succeededFuture())),
      consuming(
          "acknowledges a delivery that failed",
          worker ->
              delivering(worker, message -> worker.executeDelivery(message).otherwise(DONE))),
      consuming("acknowledges another wakeup of a run it knows unseen", onceEach()),
      consuming(
          "delivers wakeups without their trace",
          worker -> delivering(
              worker,
              message -> worker.executeDelivery(new DeliveryMessage(
                  message.environment(),
                  message.runId(),
                  message.queue(),
                  message.requestedAt(),
                  null)))));

  private SubtleTransportFaults() {}

  private static Fault publishing(
      String sentence,
      BiFunction<TransportAdapter, PublishWakeups, Future<List<WakeupPublishOutcome>>> breaking) {
    return new Fault(sentence, Subject.PUBLISHING, real -> new ForwardingTransportAdapter(real) {
      @Override
      public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
        return breaking.apply(delegate, command);
      }
    });
  }

  private static Fault listening(String sentence, UnaryOperator<WakeupSource> breaking) {
    return new Fault(sentence, Subject.WAKEUPS, real -> new ForwardingTransportAdapter(real) {
      @Override
      public Optional<WakeupSource> wakeups() {
        return delegate.wakeups().map(breaking);
      }
    });
  }

  private static Fault consuming(String sentence, UnaryOperator<DeliveryWorker> breaking) {
    return new Fault(sentence, Subject.DELIVERIES, BrokenDeliveries.working(breaking));
  }

  private static BiFunction<TransportAdapter, PublishWakeups, Future<List<WakeupPublishOutcome>>>
      changing(UnaryOperator<DeliveryMessage> change) {
    return (real, command) -> real.publishWakeups(new PublishWakeups(command.attempts().stream()
        .map(each -> new Attempt(
            each.outboxMessageId(),
            each.claimToken(),
            change.apply(each.message()),
            each.groupKey()))
        .toList()));
  }

  /** Of the attempts whose messages have the same key the first is published, and all are said to be. */
  private static BiFunction<TransportAdapter, PublishWakeups, Future<List<WakeupPublishOutcome>>>
      dropping(Function<DeliveryMessage, String> key) {
    return (real, command) -> {
      Map<String, Attempt> first = new HashMap<>();
      List<Attempt> some = command.attempts().stream()
          .filter(each -> first.putIfAbsent(key.apply(each.message()), each) == null)
          .toList();
      return real.publishWakeups(new PublishWakeups(some)).map(outcomes -> {
        Map<Attempt, WakeupPublishOutcome> known = new HashMap<>();
        for (int i = 0; i < some.size(); i++) {
          known.put(some.get(i), outcomes.get(i));
        }
        return command.attempts().stream()
            .map(each -> known.getOrDefault(each, PUBLISHED))
            .toList();
      });
    };
  }

  private static @Nullable Map<String, String> withoutEmpty(@Nullable Map<String, String> trace) {
    return trace == null
        ? null
        : trace.entrySet().stream()
            .filter(each -> !each.getValue().isEmpty())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static Future<List<WakeupPublishOutcome>> hundred(
      TransportAdapter real, PublishWakeups command) {
    List<Attempt> all = command.attempts();
    return real.publishWakeups(new PublishWakeups(all.subList(0, Math.min(100, all.size()))))
        .map(outcomes -> {
          List<WakeupPublishOutcome> more = new ArrayList<>(outcomes);
          more.addAll(Collections.nCopies(all.size() - more.size(), PUBLISHED));
          return more;
        });
  }

  private static Future<?> untilMalformed(TransportAdapter real, PublishWakeups command) {
    Future<?> published = Future.succeededFuture();
    for (Attempt each : command.attempts()) {
      published =
          published.compose(before -> real.publishWakeups(new PublishWakeups(List.of(each))));
    }
    return published.otherwiseEmpty();
  }

  private static Future<List<WakeupPublishOutcome>> publishedOnceEach(
      TransportAdapter real, PublishWakeups command) {
    Map<String, Attempt> byId = new HashMap<>();
    command.attempts().forEach(each -> byId.putIfAbsent(each.outboxMessageId(), each));
    return byId.size() == command.attempts().size()
        ? real.publishWakeups(command)
        : real.publishWakeups(new PublishWakeups(List.copyOf(byId.values())));
  }

  private static List<WakeupPublishOutcome> lastForgiven(List<WakeupPublishOutcome> outcomes) {
    List<WakeupPublishOutcome> forgiven = new ArrayList<>(outcomes);
    for (int i = outcomes.size() - 1; i >= 0; i--) {
      if (!outcomes.get(i).isPublished()) {
        forgiven.set(i, PUBLISHED);
        return forgiven;
      }
    }
    return forgiven;
  }

  private static PublishWakeups refused(
      PublishWakeups command, List<WakeupPublishOutcome> outcomes) {
    List<Attempt> refused = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      if (!outcomes.get(i).isPublished()) {
        refused.add(command.attempts().get(i));
      }
    }
    return new PublishWakeups(refused);
  }

  private static boolean isLowerCase(Environment environment) {
    return environment.equals(inLowerCase(environment));
  }

  private static Environment inLowerCase(Environment environment) {
    return new Environment(environment.name().toLowerCase(Locale.ROOT));
  }

  private static Future<Subscription> both(Subscription first, Future<Subscription> second) {
    return second.map(other -> () -> Future.join(first.close(), other.close()).<Void>mapEmpty());
  }

  private static WakeupListener hearing(
      WakeupListener listener, UnaryOperator<List<DeliveryMessage>> change) {
    return new WakeupListener() {
      @Override
      public void onWakeups(List<DeliveryMessage> messages) {
        listener.onWakeups(change.apply(messages));
      }

      @Override
      public void onPossibleLoss() {
        listener.onPossibleLoss();
      }
    };
  }

  private static UnaryOperator<WakeupSource> closingAll() {
    Map<Environment, Collection<Subscription>> open = new ConcurrentHashMap<>();
    return source ->
        (environment, listener) -> source.subscribe(environment, listener).map(subscription -> {
          Collection<Subscription> all =
              open.computeIfAbsent(environment, first -> new CopyOnWriteArrayList<>());
          all.add(subscription);
          return () ->
              Future.join(all.stream().map(Subscription::close).toList()).<Void>mapEmpty();
        });
  }

  private static UnaryOperator<WakeupSource> replacing() {
    Map<Environment, Subscription> last = new ConcurrentHashMap<>();
    return source -> (environment, listener) -> {
      Subscription before = last.remove(environment);
      return (before == null ? Future.<Void>succeededFuture() : before.close())
          .compose(closed -> source.subscribe(environment, listener))
          .map(subscription -> {
            last.put(environment, subscription);
            return subscription;
          });
    };
  }

  private static DeliveryWorker delivering(
      DeliveryWorker worker, Function<DeliveryMessage, Future<DeliveryResult>> change) {
    return new BrokenDeliveries.Forwarding(worker) {
      @Override
      public Future<DeliveryResult> executeDelivery(DeliveryMessage message) {
        return change.apply(message);
      }
    };
  }

  private static UnaryOperator<DeliveryWorker> onceEach() {
    Set<String> known = ConcurrentHashMap.newKeySet();
    return worker -> delivering(
        worker,
        message -> known.add(message.environment().name() + " " + message.runId())
            ? worker.executeDelivery(message).onFailure(again -> known.clear())
            : Future.succeededFuture(DONE));
  }

  /**
   * A transport that is wrong.
   *
   * @param sentence what it does
   * @param subject whose sequences find it
   * @param breaking makes it out of one that does nothing wrong
   */
  record Fault(String sentence, Subject subject, UnaryOperator<TransportAdapter> breaking) {
    @Override
    public String toString() {
      return sentence;
    }
  }
}
