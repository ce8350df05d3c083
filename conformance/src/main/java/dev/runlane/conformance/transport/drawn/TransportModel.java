package dev.runlane.conformance.transport.drawn;

import dev.runlane.conformance.model.Names;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a transport and its provider do with each command, in the words of {@code TransportAdapter}, {@code
 * WakeupSource} and {@code DeliverySource}. Where these leave a transport free, its answer is judged by a sentence, and
 * is its own where that holds; where it does not, the sentence is the answer expected.
 */
public final class TransportModel {
  private final Names names;
  private final Set<String> bound; // queues; none where any is taken
  private final boolean durable;
  private final List<String> accepted = new ArrayList<>();
  private final Map<Environment, List<String>> byEnvironment = new HashMap<>();
  private final List<String> toBeSettled = new ArrayList<>();
  private final Map<String, Listener> listeners = new LinkedHashMap<>();
  private final Set<String> consumers = new HashSet<>();
  private int refusals;

  TransportModel(Names names, Set<String> bound, boolean durable) {
    this.names = names;
    this.bound = bound;
    this.durable = durable;
  }

  /** The right answer; throws the right failure. */
  @Nullable
  Object answer(TransportCommand command, @Nullable Object answer) {
    List<?> given = answer instanceof List<?> list ? list : List.of();
    if (command instanceof TransportCommand.Publish publish) {
      return publish(publish.wakeups(), given);
    }
    if (command instanceof TransportCommand.Received) {
      return accepted.stream().sorted().toList();
    }
    if (command instanceof TransportCommand.Heard heard) {
      return heard(listener(heard.listener()), given);
    }
    if (command instanceof TransportCommand.Settled) {
      return settled(given);
    }
    change(command);
    return null;
  }

  private void change(TransportCommand command) {
    if (command instanceof TransportCommand.RefuseNext refuse) {
      refusals = refuse.count();
    } else if (command instanceof TransportCommand.Subscribe subscribe) {
      Environment environment = names.inStorage(subscribe.environment());
      listeners.put(
          subscribe.listener(),
          new Listener(environment, byEnvironment.getOrDefault(environment, List.of())));
    } else if (command instanceof TransportCommand.Unsubscribe unsubscribe) {
      listener(unsubscribe.listener()).open = false;
    } else if (command instanceof TransportCommand.Consume consume) {
      consumers.add(consume.consumer());
    } else if (command instanceof TransportCommand.StopConsuming stop) {
      consumers.remove(stop.consumer());
    }
  }

  /** Whether a caller could do that now. */
  boolean isPossible(TransportCommand command) {
    if (command instanceof TransportCommand.RefuseNext) {
      return !isRefusing();
    }
    if (command instanceof TransportCommand.Publish publish) {
      return !isRefusing() || environments(publish.wakeups()) <= 1;
    }
    if (command instanceof TransportCommand.Subscribe subscribe) {
      return !listeners.containsKey(subscribe.listener());
    }
    if (command instanceof TransportCommand.Unsubscribe unsubscribe) {
      return isListening(unsubscribe.listener());
    }
    if (command instanceof TransportCommand.Heard heard) {
      return listeners.containsKey(heard.listener());
    }
    if (command instanceof TransportCommand.Consume consume) {
      return !consumers.contains(consume.consumer());
    }
    if (command instanceof TransportCommand.StopConsuming stop) {
      return consumers.contains(stop.consumer());
    }
    return true;
  }

  /** A provider that carries environments apart need not tell which of two refusals is the next. */
  private static long environments(PublishWakeups command) {
    return command.attempts().stream()
        .map(each -> each.message().environment())
        .distinct()
        .count();
  }

  private Listener listener(String name) {
    return Objects.requireNonNull(listeners.get(name));
  }

  private boolean isListening(String name) {
    Listener listener = listeners.get(name);
    return listener != null && listener.open;
  }

  /** Whether the provider still has wakeups to refuse. */
  boolean isRefusing() {
    return refusals > 0;
  }

  List<String> listeners() {
    return List.copyOf(listeners.keySet());
  }

  List<String> consumers() {
    return consumers.stream().sorted().toList();
  }

  /** "Outcome i belongs to attempt i"; which of a command's wakeups are refused is the provider's. */
  private List<String> publish(PublishWakeups command, List<?> answer) {
    PublishChecks.check(command);
    if (!bound.isEmpty()) {
      PublishChecks.checkBound(command, bound);
    }
    int size = command.attempts().size();
    int refused = Math.min(refusals, size);
    refusals -= refused;
    List<String> outcomes = new ArrayList<>(Collections.nCopies(size, Texts.PUBLISHED));
    boolean follows =
        answer.size() == size && Collections.frequency(answer, Texts.PUBLISHED) == size - refused;
    int first = 0;
    for (int i = 0; i < size; i++) {
      if (follows ? !answer.get(i).equals(Texts.PUBLISHED) : first++ < refused) {
        outcomes.set(i, ErrorCode.TRANSPORT_PUBLISH_FAILED.name());
      } else {
        accept(command.attempts().get(i).message());
      }
    }
    return outcomes;
  }

  private void accept(DeliveryMessage message) {
    Environment environment = names.inStorage(message.environment());
    String text = Texts.of(environment, message);
    accepted.add(text);
    byEnvironment.computeIfAbsent(environment, first -> new ArrayList<>()).add(text);
    if (durable || !consumers.isEmpty()) {
      toBeSettled.add(text);
    }
    listeners.values().stream()
        .filter(each -> each.open && each.environment.equals(environment))
        .forEach(each -> each.owed.add(text));
  }

  /**
   * Doubled, late, or in another order, but each that was published while it listened, and nothing of another
   * environment or from after its end. What is on its way when the subscription is closed may be lost.
   */
  private static Object heard(Listener listener, List<?> answer) {
    for (Object each : answer) {
      if (!listener.late.contains(each) && !listener.owed.contains(each)) {
        return "nothing that was not published to the listener, such as " + each;
      }
    }
    Set<Object> heard = new HashSet<>(answer);
    for (String each : listener.owed) {
      if (listener.open && !heard.contains(each)) {
        return "all that was published to the listener, also " + each;
      }
    }
    return answer;
  }

  /** Each at least once while somebody consumes, and nothing that nobody published. */
  private Object settled(List<?> answer) {
    Set<String> known = new HashSet<>(accepted);
    Map<Object, Integer> times = new HashMap<>();
    for (Object each : answer) {
      if (!known.contains(each)) {
        return "nothing that should not come, such as " + each;
      }
      times.merge(each, 1, Integer::sum);
    }
    for (String each : consumers.isEmpty() ? List.<String>of() : toBeSettled) {
      if (times.merge(each, -1, Integer::sum) < 0) {
        return "all that was published, also " + each;
      }
    }
    return answer;
  }

  private static final class Listener {
    final Environment environment;
    final Set<String> owed = new HashSet<>();
    final Set<String> late; // published before it listened
    boolean open = true;

    Listener(Environment environment, List<String> before) {
      this.environment = environment;
      this.late = Set.copyOf(before);
    }
  }
}
