package dev.runlane.runtime;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loggers that the tests' settings silence, told to write warnings until this is closed. */
public final class LogLevels implements AutoCloseable {
  private static final int WARN = 30;

  private final Map<Logger, Integer> before = new LinkedHashMap<>();

  private LogLevels() {}

  public static LogLevels warningsOf(List<Class<?>> classes) {
    LogLevels levels = new LogLevels();
    classes.forEach(each -> {
      Logger logger = LoggerFactory.getLogger(each);
      levels.before.put(logger, levels.change(logger, WARN));
    });
    return levels;
  }

  @Override
  public void close() {
    before.forEach(this::change);
  }

  private int change(Logger logger, int level) {
    try {
      Field field = logger.getClass().getDeclaredField("currentLogLevel");
      field.setAccessible(true);
      int old = field.getInt(logger);
      field.setInt(logger, level);
      return old;
    } catch (ReflectiveOperationException otherLogger) {
      throw new AssertionError(otherLogger);
    }
  }
}
