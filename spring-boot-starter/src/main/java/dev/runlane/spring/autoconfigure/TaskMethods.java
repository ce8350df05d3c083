package dev.runlane.spring.autoconfigure;

import static java.util.stream.Collectors.toSet;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.spring.RunlaneTask;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Makes tasks of the {@link RunlaneTask} methods of all beans; a bean is asked for when its first run is worked on. */
final class TaskMethods {
  private static final Logger LOG = LoggerFactory.getLogger(TaskMethods.class);
  private static final List<Class<?>> LATER = List.of(
      CompletionStage.class, Future.class, io.vertx.core.Future.class, Flow.Publisher.class);

  /** The last parameter of what a method is compiled to that suspends. */
  private static final String OF_A_COROUTINE = "kotlin.coroutines.Continuation";

  /** What JSON reads back as itself without being told the type. */
  private static final Set<Class<?>> PLAIN =
      Set.of(Object.class, String.class, Boolean.class, Integer.class, Number.class);

  private static final Set<Class<?>> CONTAINERS = Set.of(Collection.class, List.class, Map.class);

  private final ConfigurableListableBeanFactory beans;
  private final Map<String, TaskQueue> queues;
  private final Map<String, Class<?>> looked = new HashMap<>(); // what each bean was taken for

  TaskMethods(ConfigurableListableBeanFactory beans, Map<String, TaskQueue> queues) {
    this.beans = beans;
    this.queues = queues;
  }

  List<Task<?>> tasks() {
    List<Task<?>> tasks = new ArrayList<>();
    for (String bean : beans.getBeanNamesForType(Object.class, true, false)) {
      Class<?> type = typeOf(bean);
      if (type != null && isOfTheApplication(type)) {
        looked.put(bean, type);
        methods(bean, type).forEach((method, task) -> tasks.add(task(bean, type, method, task)));
      }
    }
    return tasks;
  }

  private static boolean isOfTheApplication(Class<?> type) {
    return !type.getName().startsWith("org.springframework.");
  }

  /**
   * Looks again when the singletons are there: before, a bean that was not made yet is known by what its {@code @Bean}
   * method declares, and an interface does not show the methods of the class. Throws {@code ConfigurationInvalid} where
   * a task was not found for that.
   */
  void requireAllFound() {
    for (String bean : beans.getBeanNamesForType(Object.class, false, false)) {
      Class<?> type = beans.containsSingleton(bean) ? typeOf(bean) : null;
      Class<?> before = looked.get(bean);
      if (type != null && isOfTheApplication(type) && !type.equals(before)) {
        Set<String> found = before == null ? Set.of() : ids(bean, before);
        methods(bean, type).forEach((method, task) -> requireFound(bean, method, task, found));
      }
    }
  }

  private static Set<String> ids(String bean, Class<?> type) {
    return methods(bean, type).values().stream().map(RunlaneTask::value).collect(toSet());
  }

  private static void requireFound(
      String bean, Method method, RunlaneTask task, Set<String> found) {
    if (!found.contains(task.value())) {
      throw RunlaneException.configurationInvalid(
          "method %s of bean %s would be task %s, but was not found when the runtime was made: let the @Bean method "
              + "declare the class and no interface",
          method, bean, task.value());
    }
  }

  /** Null for what stands behind the proxy of a scope: its methods are called through that. */
  private @Nullable Class<?> typeOf(String bean) {
    if (ScopedProxyUtils.isScopedTarget(bean)) {
      return null;
    }
    Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
    if (type == null || !ScopedObject.class.isAssignableFrom(type)) {
      return type;
    }
    Class<?> target =
        AutoProxyUtils.determineTargetClass(beans, ScopedProxyUtils.getTargetBeanName(bean));
    return target == null ? type : target;
  }

  private static Map<Method, RunlaneTask> methods(String bean, Class<?> type) {
    try {
      return MethodIntrospector.selectMethods(
          type, (MethodIntrospector.MetadataLookup<@Nullable RunlaneTask>)
              method -> AnnotatedElementUtils.findMergedAnnotation(method, RunlaneTask.class));
    } catch (LinkageError
        | TypeNotPresentException missing) { // as of an optional library that is not there
      LOG.warn(
          "the methods of bean {} cannot be looked at, and none of them is a task", bean, missing);
      return Map.of();
    }
  }

  private Task<?> task(String bean, Class<?> type, Method method, RunlaneTask task) {
    if (Modifier.isPrivate(method.getModifiers())) {
      throw RunlaneException.configurationInvalid(
          "method %s of task %s must not be private: the proxy of a bean cannot call it",
          method, task.value());
    }
    Class<?>[] parameters = method.getParameterTypes();
    boolean context =
        parameters.length > 0 && parameters[parameters.length - 1] == BlockingTaskContext.class;
    if (parameters.length > 0
        && parameters[parameters.length - 1].getName().equals(OF_A_COROUTINE)) {
      throw RunlaneException.configurationInvalid(
          "method %s of task %s must not suspend: a run ends when its method returns; "
              + "a bean of type Task may, by runlane-kotlin",
          method, task.value());
    }
    int values = parameters.length - (context ? 1 : 0);
    if (values > 1) {
      throw RunlaneException.configurationInvalid(
          "method %s of task %s must have a payload and a BlockingTaskContext at most",
          method, task.value());
    }
    if (isLater(method.getReturnType())) {
      throw RunlaneException.configurationInvalid(
          "method %s of task %s must answer its result and no future: a run ends when its method returns",
          method, task.value());
    }
    Class<?> payload = values == 0 ? Void.class : payload(type, method, task);
    return task(bean, method, task, payload, context);
  }

  /** Futures, and whatever type of a reactive library Spring knows. */
  private static boolean isLater(Class<?> answer) {
    return LATER.stream().anyMatch(later -> later.isAssignableFrom(answer))
        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(answer) != null;
  }

  /** The first parameter's class, as the bean's own class gives it to what it extends. */
  private static Class<?> payload(Class<?> type, Method method, RunlaneTask task) {
    ResolvableType payload = ResolvableType.forMethodParameter(method, 0, type);
    Class<?> resolved = payload.resolve();
    if (resolved == null || !isReadable(payload)) {
      throw RunlaneException.configurationInvalid(
          "the payload of method %s of task %s is a %s, which JSON cannot be read back as: give it a class of its own",
          method, task.value(), payload);
    }
    return resolved;
  }

  /** Whether JSON is read back as the whole type by its class alone; a {@code List<Order>} would be a list of maps. */
  private static boolean isReadable(ResolvableType type) {
    if (type.isArray()) {
      return isReadable(type.getComponentType());
    }
    return type.getType() instanceof Class<?>
        || Stream.of(type.getGenerics()).allMatch(TaskMethods::isPlain);
  }

  private static boolean isPlain(ResolvableType type) {
    Class<?> resolved = type.resolve();
    return resolved == null
        ? type.getType() instanceof WildcardType
        : PLAIN.contains(resolved) || (CONTAINERS.contains(resolved) && isReadable(type));
  }

  private <P> Task<P> task(
      String bean, Method method, RunlaneTask task, Class<P> payload, boolean context) {
    Task.Definition<P> definition = Task.define(task.value(), payload);
    if (!task.queue().isEmpty()) {
      definition.queue(queues.getOrDefault(task.queue(), TaskQueue.of(task.queue())));
    }
    if (task.attempts() > 1) {
      definition.retry(RetryPolicy.attempts(task.attempts()));
    }
    return definition.blockingHandler((value, given) -> {
      List<@Nullable Object> arguments = new ArrayList<>();
      if (payload != Void.class) {
        arguments.add(value);
      }
      if (context) {
        arguments.add(given);
      }
      return result(call(beans.getBean(bean), method, arguments));
    });
  }

  private static @Nullable Object call(Object bean, Method method, List<@Nullable Object> arguments)
      throws Exception {
    Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
    invocable.trySetAccessible();
    try {
      return invocable.invoke(bean, arguments.toArray());
    } catch (InvocationTargetException thrown) {
      if (thrown.getCause() instanceof Error error) {
        throw error; // an attempt that is unwound passes through
      }
      throw thrown.getCause() instanceof Exception failure ? failure : thrown;
    }
  }

  private static TaskResult result(@Nullable Object answer) {
    if (answer instanceof TaskResult result) {
      return result;
    }
    return answer == null ? TaskResult.done() : TaskResult.done(answer);
  }
}
