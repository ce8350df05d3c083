package dev.runlane.cli.application;

import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.RunlaneApplication;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** The classes of a user's program, above the command's own: what both have is the command's. */
final class ApplicationClassPath implements Closeable {
  private static final String ALL_JARS = "*";

  private final URLClassLoader loader;
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  private ApplicationClassPath(URLClassLoader loader) {
    this.loader = loader;
  }

  /** Jars and folders, {@code folder/*} for all jars in one. Throws {@link UsageException} for one that is missing. */
  static ApplicationClassPath of(String classPath) {
    List<URL> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      if (!entry.isBlank()) {
        files(entry).forEach(file -> entries.add(url(file)));
      }
    }
    if (entries.isEmpty()) {
      throw new UsageException("--classpath: it names nothing");
    }
    return new ApplicationClassPath(new URLClassLoader(
        "application", entries.toArray(URL[]::new), RunlaneApplication.class.getClassLoader()));
  }

  private static List<Path> files(String entry) {
    if (!entry.endsWith(File.separator + ALL_JARS) && !entry.equals(ALL_JARS)) {
      Path file = Path.of(entry);
      if (!Files.exists(file)) {
        throw new UsageException("--classpath: there is no " + file);
      }
      return List.of(file);
    }
    Path folder = Path.of(entry.substring(0, entry.length() - ALL_JARS.length()));
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> jars =
          files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
      if (jars.isEmpty()) {
        throw new UsageException("--classpath: there is no jar in " + folder);
      }
      return jars;
    } catch (IOException unreadable) {
      throw new UsageException("--classpath: %s cannot be read (%s)"
          .formatted(folder, unreadable.getClass().getSimpleName()));
    }
  }

  private static URL url(Path file) {
    try {
      return file.toUri().toURL();
    } catch (MalformedURLException impossible) {
      throw new IllegalStateException("a file has a URL", impossible);
    }
  }

  /**
   * The one application that is declared; the thread's classes are its from now on. Throws {@code ConfigurationInvalid}
   * where there is none, are several, or where it cannot be made.
   */
  RunlaneApplication application() {
    Thread.currentThread().setContextClassLoader(loader);
    List<ServiceLoader.Provider<RunlaneApplication>> declared;
    try {
      declared = ServiceLoader.load(RunlaneApplication.class, loader).stream().toList();
      if (declared.size() == 1) {
        return declared.get(0).get();
      }
    } catch (ServiceConfigurationError | LinkageError unusable) {
      throw RunlaneException.configurationInvalid(
              "the application on --classpath cannot be made: %s", reason(unusable))
          .causedBy(unusable);
    }
    if (declared.isEmpty()) {
      throw RunlaneException.configurationInvalid(
          "nothing on --classpath declares a RunlaneApplication: META-INF/services/%s names its class",
          RunlaneApplication.class.getName());
    }
    throw RunlaneException.configurationInvalid(
        "--classpath declares %d applications, but one is needed: %s",
        declared.size(),
        declared.stream().map(each -> each.type().getName()).sorted().toList());
  }

  private static String reason(Throwable unusable) {
    Throwable cause = unusable.getCause();
    return cause == null
        ? String.valueOf(unusable.getMessage())
        : unusable.getMessage() + ": " + cause;
  }

  /** The thread's classes are those of before. */
  @Override
  public void close() throws IOException {
    Thread.currentThread().setContextClassLoader(before);
    loader.close();
  }
}
