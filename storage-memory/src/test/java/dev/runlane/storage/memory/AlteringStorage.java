package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.storage.StorageAdapter;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Does what another storage does, its optional parts included, but alters one type of command or its answers. */
final class AlteringStorage implements InvocationHandler {
  private final Object real;
  private final Alteration<?, ?> alteration;

  private AlteringStorage(Object real, Alteration<?, ?> alteration) {
    this.real = real;
    this.alteration = alteration;
  }

  /** A storage that takes commands of this type for others. */
  static <C> BrokenAdapter<StorageAdapter> altering(
      String sentence, Class<C> type, UnaryOperator<C> change) {
    return broken(sentence, new Alteration<>(type, change, (command, answer) -> answer));
  }

  /** A storage that takes one part of such commands for another. */
  static <C extends Record, V> BrokenAdapter<StorageAdapter> misreading(
      String sentence, Class<C> type, String part, UnaryOperator<V> change) {
    return altering(sentence, type, command -> changed(command, type, part, change));
  }

  private static <C extends Record, V> C changed(
      C command, Class<C> type, String part, UnaryOperator<V> change) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        values[i] = components[i].getAccessor().invoke(command);
        if (components[i].getName().equals(part)) {
          @SuppressWarnings("unchecked") // the part of this name
          V value = (V) values[i];
          values[i] = value == null ? null : change.apply(value);
        }
      }
      return type.getConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(type + " is made of what it has", impossible);
    }
  }

  /** A storage that does what commands of this type say and answers something else. */
  static <C, A> BrokenAdapter<StorageAdapter> answering(
      String sentence, Class<C> type, BiFunction<C, A, A> change) {
    return broken(sentence, new Alteration<>(type, UnaryOperator.identity(), change));
  }

  /** A storage that takes commands of this type for others and answers something else than is said of those. */
  static <C, A> BrokenAdapter<StorageAdapter> misunderstanding(
      String sentence, Class<C> type, UnaryOperator<C> change, BiFunction<C, A, A> answer) {
    return broken(sentence, new Alteration<>(type, change, answer));
  }

  private static BrokenAdapter<StorageAdapter> broken(
      String sentence, Alteration<?, ?> alteration) {
    return that(sentence, real -> proxy(StorageAdapter.class, real, alteration));
  }

  private static <T> T proxy(Class<T> type, Object real, Alteration<?, ?> alteration) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, new AlteringStorage(real, alteration)));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    try {
      if (arguments == null || arguments.length != 1) {
        Object answer = method.invoke(real, arguments);
        return answer instanceof Optional<?> part && part.isPresent()
            ? Optional.of(proxy(typeOfPart(method), part.get(), alteration))
            : answer;
      }
      Object answer = method.invoke(real, alteration.command(arguments[0]));
      return alteration.isOf(arguments[0])
          ? ((Future<?>) answer).map(said -> alteration.answer(arguments[0], said))
          : answer;
    } catch (InvocationTargetException failure) {
      throw failure.getCause();
    }
  }

  private static Class<?> typeOfPart(Method method) {
    return (Class<?>)
        ((ParameterizedType) method.getGenericReturnType()).getActualTypeArguments()[0];
  }

  /**
   * What is altered.
   *
   * @param type the commands it is about, alone or in a list
   * @param change what becomes of one
   * @param answered what becomes of an answer to one that comes alone
   */
  private record Alteration<C, A>(
      Class<C> type, UnaryOperator<C> change, BiFunction<C, A, A> answered) {
    boolean isOf(Object command) {
      return type.isInstance(command);
    }

    Object command(Object given) {
      if (given instanceof List<?> several) {
        return several.stream().map(this::command).toList();
      }
      return isOf(given) ? change.apply(type.cast(given)) : given;
    }

    @SuppressWarnings("unchecked") // the answer to a command of this type
    Object answer(Object command, Object answer) {
      return answered.apply(type.cast(command), (A) answer);
    }
  }
}
