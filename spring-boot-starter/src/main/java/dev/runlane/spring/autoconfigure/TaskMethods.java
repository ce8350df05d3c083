package dev.runlane.spring.autoconfigure;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.spring.RunlaneTask;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Makes tasks of the {@link RunlaneTask} methods of all beans; a bean is asked for when its first run is worked on. */
final class TaskMethods {
  private static final Logger LOG = LoggerFactory.getLogger(TaskMethods.class);
  private static final List<Class<?>> LATER = List.of(
      CompletionStage.class, Future.class, io.vertx.core.Future.class, Flow.Publisher.class);

  private final ConfigurableListableBeanFactory beans;
  private final Map<String, TaskQueue> queues;

  TaskMethods(ConfigurableListableBeanFactory beans, Map<String, TaskQueue> queues) {
    this.beans = beans;
    this.queues = queues;
  }

  List<Task<?>> tasks() {
    List<Task<?>> tasks = new ArrayList<>();
    for (String bean : beans.getBeanNamesForType(Object.class, true, false)) {
      Class<?> type = typeOf(bean);
      if (type != null && !type.getName().startsWith("org.springframework.")) {
        methods(bean, type).forEach((method, task) -> tasks.add(task(bean, method, task)));
      }
    }
    return tasks;
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

  private Task<?> task(String bean, Method method, RunlaneTask task) {
    Class<?>[] parameters = method.getParameterTypes();
    boolean context =
        parameters.length > 0 && parameters[parameters.length - 1] == BlockingTaskContext.class;
    int values = parameters.length - (context ? 1 : 0);
    if (values > 1) {
      throw RunlaneException.configurationInvalid(
          "method %s of task %s must have a payload and a BlockingTaskContext at most",
          method, task.value());
    }
    if (LATER.stream().anyMatch(later -> later.isAssignableFrom(method.getReturnType()))) {
      throw RunlaneException.configurationInvalid(
          "method %s of task %s must answer its result and no future: a run ends when its method returns",
          method, task.value());
    }
    Class<?> payload = values == 0 ? Void.class : parameters[0];
    return task(bean, method, task, payload, context);
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
