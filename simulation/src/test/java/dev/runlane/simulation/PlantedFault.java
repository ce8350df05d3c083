package dev.runlane.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * One mistake in the sources of the runtime or the storage: compiled beside the real classes, and run in their
 * place by a simulation of its own.
 *
 * @param name what is wrong
 * @param world in which it is looked for
 * @param module the folder of the module
 * @param type the class whose source is changed
 * @param right what stands there, once
 * @param wrong what is put in its place
 */
record PlantedFault(
    String name, World world, String module, String type, String right, String wrong) {
  private static final List<String> MODULES = List.of(
      "core-reducer",
      "timing",
      "reactive-contracts",
      "storage-memory",
      "postgres-base",
      "runtime-verticles",
      "job-queue");

  /** How many seeds it takes until one of them fails; empty where none of {@code most} does. */
  OptionalLong seedsUntilFound(long most) {
    try (URLClassLoader loader = new Planted(compile())) {
      Class<?> simulation = loader.loadClass(
          (world == World.RUNS ? Simulation.class : JobSimulation.class).getName());
      for (long seed = 1; seed <= most; seed++) {
        Object result = simulation.getMethod("run", long.class).invoke(null, seed);
        if (!(boolean) result.getClass().getMethod("isGood").invoke(result)) {
          return OptionalLong.of(seed);
        }
      }
      return OptionalLong.empty();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (ReflectiveOperationException failure) {
      throw new IllegalStateException("the simulation could not be run with: " + name, failure);
    }
  }

  private Path compile() throws IOException {
    Path folder = Path.of("target", "planted", name.replaceAll("[^a-z]+", "-"));
    Path source = folder.resolve("source").resolve(type.replace('.', '/') + ".java");
    Path classes = Files.createDirectories(folder.resolve("classes"));
    Files.createDirectories(source.getParent());
    Files.writeString(source, changed());
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options = List.of(
          "-proc:none",
          "-nowarn",
          "-cp",
          System.getProperty("java.class.path"),
          "-d",
          classes.toString());
      if (!compiler
          .getTask(null, files, null, options, null, files.getJavaFileObjects(source))
          .call()) {
        throw new IllegalStateException("does not compile: " + name);
      }
    }
    return classes;
  }

  /** The source with the mistake in it; fails where what is to be replaced does not stand there once. */
  String changed() throws IOException {
    String source = Files.readString(
        Path.of("..", module, "src/main/java").resolve(type.replace('.', '/') + ".java"));
    if (source.split(Pattern.quote(right), -1).length != 2) {
      throw new IllegalStateException(type + " must hold once what this fault replaces: " + right);
    }
    return source.replace(right, wrong);
  }

  /** Takes this project's classes anew, the planted one first, and everything else from where it is. */
  private static final class Planted extends URLClassLoader {
    Planted(Path classes) throws MalformedURLException {
      super(urls(classes), PlantedFault.class.getClassLoader());
    }

    private static URL[] urls(Path planted) throws MalformedURLException {
      List<URL> urls = new ArrayList<>();
      urls.add(planted.toUri().toURL());
      urls.add(Path.of("target", "classes").toUri().toURL());
      for (String module : MODULES) {
        urls.add(Path.of("..", module, "target", "classes").toUri().toURL());
      }
      return urls.toArray(URL[]::new);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("dev.runlane.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }
}
