package dev.runlane.simulation.network;

import dev.runlane.steps.StepListener;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts a line between a process and a contract that it calls. Every method of the contract that answers with a future
 * goes over the line, and so do those of the contracts it offers; methods that are added later need nothing here.
 */
public final class RemoteCalls implements InvocationHandler {
  private final Object real;
  private final Line line;
  private final Map<Method, Optional<?>> offers =
      new HashMap<>(); // the same for as long as it lives

  private RemoteCalls(Object real, Line line) {
    this.real = real;
    this.line = line;
  }

  /** The contract as a process at the other end of {@code line} sees it. */
  public static <T> T to(Class<T> contract, T real, Line line) {
    return contract.cast(Proxy.newProxyInstance(
        RemoteCalls.class.getClassLoader(),
        new Class<?>[] {contract},
        new RemoteCalls(real, line)));
  }

  @Override
  public @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    if (method.getReturnType() == Future.class) {
      @Nullable Object[] given = arguments == null ? new Object[0] : arguments.clone();
      for (int index = 0; index < given.length; index++) {
        if (given[index] instanceof Consumer<?> listener) {
          given[index] = line.pushes(listener);
        } else if (given[index] instanceof StepListener listener) {
          given[index] = new Pushed(listener, line);
        }
      }
      @Nullable Object command = given.length == 0 ? null : given[0];
      return line.call(method.getName(), command, () -> future(method, given));
    }
    Object known = arguments == null ? offers.get(method) : null;
    if (known != null) {
      return known;
    }
    Object answer = reached(method, arguments);
    Class<?> contract = offeredContract(method);
    if (answer instanceof Optional<?> offered && contract != null) {
      Optional<?> offer = offered.map(each -> through(contract, each));
      if (arguments == null) {
        offers.put(method, offer);
      }
      return offer;
    }
    return answer;
  }

  /** A listener to steps at the other end of a line. */
  private record Pushed(StepListener listener, Line line) implements StepListener {
    @Override
    public void onTasks(Set<String> groups) {
      line.pushes(listener::onTasks).accept(groups);
    }

    @Override
    public void onResults() {
      line.pushes(news -> listener.onResults()).accept("results");
    }

    @Override
    public void onPossibleLoss() {
      line.pushes(news -> listener.onPossibleLoss()).accept("a loss");
    }
  }

  private <T> T through(Class<T> contract, Object each) {
    return to(contract, contract.cast(each), line);
  }

  private Future<?> future(Method method, @Nullable Object[] arguments) {
    try {
      return (Future<?>) Objects.requireNonNull(reached(method, arguments));
    } catch (Throwable thrown) {
      return Future.failedFuture(thrown);
    }
  }

  private @Nullable Object reached(Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    try {
      method.setAccessible(true); // looked into at each call otherwise
      return method.invoke(real, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  private static @Nullable Class<?> offeredContract(Method method) {
    if (method.getGenericReturnType() instanceof ParameterizedType optional) {
      Type offered = optional.getActualTypeArguments()[0];
      return offered instanceof Class<?> type && type.isInterface() ? type : null;
    }
    return null;
  }
}
