package dev.runlane.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of a bean that is a task's handler. It may block: it is called on a virtual thread where the JVM has them,
 * else on one of a pool, through the bean's proxy, so {@code @Transactional} on it works, unless it asks for steps:
 * {@code callStep} fails inside of a transaction, which could take back what the step wrote although the step is
 * recorded as done. A handler with steps has none, and the work of a step begins its own. Its first parameter is the
 * payload, unless there is none; a further one may be a {@link dev.runlane.runtime.task.BlockingTaskContext}. It
 * answers nothing, a {@link dev.runlane.runtime.task.TaskResult}, or any value, which is the run's output. What it
 * throws is a failure of the attempt. The start fails for one that answers a future or a reactive type, that suspends,
 * or whose payload is generic and not of plain JSON: {@code List<String>} is read back from JSON as it is, {@code
 * List<Order>} is not. It fails too for a private method, which no proxy can call, and where the {@code @Bean} method
 * of the bean declares an interface that hides the method: that declares the class.
 *
 * <p>A task that needs more than this (keys, tags, schedules, a schema) is a bean of type {@link
 * dev.runlane.runtime.task.Task}.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RunlaneTask {
  /** The task's id, such as {@code orders.charge}; stored with every run. */
  String value();

  /** The queue of its runs; empty: the default queue. */
  String queue() default "";

  /** How often a run is tried; the pauses between are exponential. */
  int attempts() default 1;
}
