package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.runtime.RunlaneApplication;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The jar of a user, compiled as the user would: nothing of it is on the class path of the tests. */
final class UserProgram {
  /** The application of the README. */
  static final Path GREETINGS = Path.of("src/test/resources/applications/Greetings.java");

  private UserProgram() {}

  /** Compiles a source into a jar that declares these classes as applications. */
  static Path jar(Path folder, String source, String... declared) throws IOException {
    String name = source.replaceAll("(?s).*public (?:final )?class (\\w+).*", "$1");
    Path file = Files.writeString(folder.resolve(name + ".java"), source);
    Path classes = Files.createDirectories(folder.resolve("classes-" + name));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      assertThat(compiler
              .getTask(
                  said,
                  files,
                  null,
                  List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                  null,
                  files.getJavaFileObjects(file))
              .call())
          .as(said.toString())
          .isTrue();
    }
    Path jar = folder.resolve(name + ".jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> compiled = Files.walk(classes)) {
      for (Path each : compiled.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
        Files.copy(each, out);
      }
      if (declared.length > 0) {
        out.putNextEntry(new JarEntry("META-INF/services/" + RunlaneApplication.class.getName()));
        out.write(String.join("\n", declared).getBytes("UTF-8"));
      }
    }
    return jar;
  }

  static Path greetings(Path folder) throws IOException {
    return jar(folder, Files.readString(GREETINGS), "greetings.Greetings");
  }
}
