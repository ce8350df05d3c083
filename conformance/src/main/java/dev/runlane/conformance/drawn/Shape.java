package dev.runlane.conformance.drawn;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a record and how it is made of them: commands and answers are records, so that what is done with all of
 * them, as comparing and printing, is written once.
 */
public record Shape(List<String> names, List<Method> accessors, Constructor<?> constructor) {
  private static final Map<Class<?>, Shape> SHAPES = new ConcurrentHashMap<>();

  /** How the record is made. */
  public static Shape of(Object value) {
    return SHAPES.computeIfAbsent(value.getClass(), Shape::ofClass);
  }

  private static Shape ofClass(Class<?> type) {
    try {
      RecordComponent[] parts = type.getRecordComponents();
      List<Method> accessors =
          Arrays.stream(parts).map(RecordComponent::getAccessor).toList();
      Constructor<?> constructor = type.getDeclaredConstructor(
          Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
      accessors.forEach(accessor -> accessor.setAccessible(true));
      constructor.setAccessible(true);
      return new Shape(
          Arrays.stream(parts).map(RecordComponent::getName).toList(), accessors, constructor);
    } catch (NoSuchMethodException impossible) {
      throw new IllegalStateException("every record has a canonical constructor", impossible);
    }
  }

  /** Its parts, in their order. */
  public List<@Nullable Object> partsOf(Object value) {
    List<@Nullable Object> parts = new ArrayList<>();
    try {
      for (Method accessor : accessors) {
        parts.add(accessor.invoke(value));
      }
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException("an accessor of a record cannot fail", impossible);
    }
    return parts;
  }

  /** Throws what the record's constructor throws. */
  public Object make(List<@Nullable Object> parts) {
    try {
      return constructor.newInstance(parts.toArray());
    } catch (InvocationTargetException refused) {
      if (refused.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(refused);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException("the parts do not fit the record", impossible);
    }
  }
}
