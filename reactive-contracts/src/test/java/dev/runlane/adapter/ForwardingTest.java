package dev.runlane.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.steps.ForwardingStepTransport;
import dev.runlane.steps.StepTransport;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Wrappers pass every method of their contract on, so that one that is added later is not forgotten. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ForwardingTest {
  /** They go through the wrapper's own method for several. */
  private static final Set<String> FOR_ONE =
      Set.of("saveJob", "saveBulk", "fetchNextJob", "finishJob", "dispatchStep");

  static Stream<Arguments> methods() {
    return Stream.of(
            methodsOf(StorageAdapter.class, real -> new ForwardingStorageAdapter(real) {}),
            methodsOf(TransportAdapter.class, real -> new ForwardingTransportAdapter(real) {}),
            methodsOf(StepTransport.class, real -> new ForwardingStepTransport(real) {}),
            methodsOf(JobStore.class, real -> new ForwardingJobStore(real) {}))
        .flatMap(each -> each);
  }

  private static <T> Stream<Arguments> methodsOf(Class<T> contract, Function<T, T> forwarding) {
    return Arrays.stream(contract.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !isForOne(method))
        .map(method -> Arguments.of(method, forwarding));
  }

  private static boolean isForOne(Method method) {
    return FOR_ONE.contains(method.getName())
        || (method.getName().equals("extendLock") && method.getParameterCount() == 3);
  }

  @ParameterizedTest
  @MethodSource("methods")
  <T> void a_wrapper_passes_it_on_with_its_arguments_and_gives_back_the_answer(
      Method method, Function<T, T> forwarding) throws Exception {
    List<List<@Nullable Object>> calls = new ArrayList<>();
    Object answer = answerOf(method.getReturnType());
    Object real = Proxy.newProxyInstance(
        getClass().getClassLoader(),
        new Class<?>[] {method.getDeclaringClass()},
        (proxy, called, arguments) -> {
          calls.add(List.of(called, arguments == null ? List.of() : Arrays.asList(arguments)));
          return answer;
        });
    List<@Nullable Object> given = new ArrayList<>();
    for (Class<?> type : method.getParameterTypes()) {
      given.add(valueOf(type, given.size()));
    }

    @SuppressWarnings("unchecked") // the contract that the method is of
    Object answered = method.invoke(forwarding.apply((T) real), given.toArray());

    assertThat(calls).containsExactly(List.of(method, given));
    assertThat(answered).isEqualTo(answer);
  }

  /** One that no default of the contract answers. */
  private static Object answerOf(Class<?> type) {
    if (type == Future.class) {
      return Future.failedFuture("the delegate's answer");
    }
    if (type == Optional.class) {
      return Optional.of("the delegate's answer");
    }
    return type == boolean.class ? (Object) true : Set.of("the delegate's answer");
  }

  /** Another one for each place, of those types that a method has more than one of; else nothing. */
  private static @Nullable Object valueOf(Class<?> type, int place) {
    if (type == String.class) {
      return "text" + place;
    }
    if (type == int.class) {
      return place;
    }
    if (type == Instant.class) {
      return Instant.ofEpochSecond(place);
    }
    return type == Duration.class ? Duration.ofSeconds(place) : null;
  }
}
