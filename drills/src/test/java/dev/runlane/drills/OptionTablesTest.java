package dev.runlane.drills;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.options.OptionDescription;
import dev.runlane.options.OptionValues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * The tables of options in the READMEs say what the options classes say: name, range and default are those of the
 * class, the sentence is the first one of the getter's Javadoc. With {@code -Doptions.write=true} they are written.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class OptionTablesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern TABLE = Pattern.compile(
      "(<!-- options of (\\S+) -->\n)(.*?)(<!-- end of options -->\n)", Pattern.DOTALL);
  private static final Pattern OPTIONS =
      Pattern.compile("public final class \\w+\\s+extends (?:\\w+Options|OptionValues)<\\w+> \\{");

  @Test
  void every_table_is_that_of_its_class() throws IOException {
    for (Path readme : readmes()) {
      String text = Files.readString(readme);
      String wanted = TABLE.matcher(text).replaceAll(OptionTablesTest::table);
      if (Boolean.getBoolean("options.write")) {
        Files.writeString(readme, wanted);
      } else {
        assertThat(text)
            .as("%s, which CONTRIBUTING says how to write anew", ROOT.relativize(readme))
            .isEqualTo(wanted);
      }
    }
  }

  @Test
  void every_options_class_has_one_table() throws IOException {
    List<String> tables = new ArrayList<>();
    for (Path readme : readmes()) {
      TABLE
          .matcher(Files.readString(readme))
          .results()
          .forEach(table -> tables.add(table.group(2)));
    }

    assertThat(tables).containsExactlyInAnyOrderElementsOf(optionsClasses());
  }

  private static List<Path> readmes() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules
          .map(module -> module.resolve("README.md"))
          .filter(Files::exists)
          .sorted()
          .toList();
    }
  }

  private static List<String> optionsClasses() throws IOException {
    List<String> classes = new ArrayList<>();
    for (Path sources : sources()) {
      try (Stream<Path> files = Files.walk(sources)) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .filter(file -> OPTIONS.matcher(read(file)).find())
            .map(file -> sources.relativize(file).toString())
            .map(file -> file.replace(".java", "").replace('/', '.'))
            .filter(name -> constructor(name).isPresent())
            .forEach(classes::add);
      }
    }
    return classes;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules
          .map(module -> module.resolve("src/main/java"))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  private static String table(MatchResult found) {
    String rows = options(found.group(2)).describe().stream()
        .map(option -> row(found.group(2), option))
        .collect(joining());
    return Matcher.quoteReplacement(found.group(1)
        + "\n| option | takes | default | means |\n|---|---|---|---|\n"
        + rows
        + "\n"
        + found.group(4));
  }

  private static String row(String className, OptionDescription option) {
    List<String> names = option.keys().isEmpty() ? List.of(option.name()) : option.keys();
    return "| %s | %s | %s | %s |\n"
        .formatted(
            names.stream().map(name -> "`" + name + "`").collect(joining(", ")),
            option.range(),
            byDefault(option),
            sentence(type(className), option.name()));
  }

  private static String byDefault(OptionDescription option) {
    return Optional.ofNullable(option.value())
        .filter(value -> !value.isEmpty() && !value.equals("***") && !value.equals("[]"))
        .filter(value -> !option.range().equals("code") && !option.range().equals("options"))
        .map(value -> "`" + value + "`")
        .orElse("");
  }

  private static OptionValues<?> options(String className) {
    Constructor<?> constructor = constructor(className).orElseThrow();
    try {
      return (OptionValues<?>)
          (constructor.getParameterCount() == 0
              ? constructor.newInstance()
              : constructor.newInstance("https://example.com"));
    } catch (ReflectiveOperationException unusable) {
      throw new AssertionError(className + " does not make its defaults", unusable);
    }
  }

  /** The constructor of the defaults, which may want an address; none where there are no defaults. */
  private static Optional<Constructor<?>> constructor(String className) {
    return Arrays.stream(type(className).getConstructors())
        .filter(each -> each.getParameterCount() == 0
            || Arrays.equals(each.getParameterTypes(), new Class<?>[] {String.class}))
        .findFirst();
  }

  private static Class<?> type(String className) {
    try {
      return Class.forName(className);
    } catch (ClassNotFoundException missing) {
      throw new AssertionError("no class " + className, missing);
    }
  }

  /** The first sentence about the option's getter, in the class or in one it extends. */
  private static String sentence(Class<?> type, String option) {
    String name = Character.toUpperCase(option.charAt(0)) + option.substring(1);
    for (String getter : List.of("(?:get|is)" + name + "(?:Options)?", option)) {
      Pattern documented = Pattern.compile(
          "/\\*\\*((?:(?!\\*/).)*)\\*/[^;{}/]*?\\b" + getter + "\\(\\)", Pattern.DOTALL);
      for (Class<?> each = type; each != OptionValues.class; each = each.getSuperclass()) {
        Matcher found = documented.matcher(source(each));
        if (found.find()) {
          return markdown(found.group(1));
        }
      }
    }
    throw new AssertionError(type + " has no getter with a comment for " + option);
  }

  private static String markdown(String javadoc) {
    String text =
        javadoc.replaceAll("\\s*\n\\s*\\*", "").replaceAll("\\s+", " ").trim();
    String sentence = text.replaceAll("(?<=[.])\\s+\\p{Lu}.*", "").replaceAll("\\.$", "");
    return sentence
        .replaceAll("\\{@code ([^}]*)}", "`$1`")
        .replaceAll("\\{@link (?:[\\w.]*#)?(\\w+)[^}]*}", "`$1`")
        .replace("|", "\\|");
  }

  private static String source(Class<?> type) {
    String file = type.getName().replace('.', '/') + ".java";
    try {
      for (Path sources : sources()) {
        if (Files.exists(sources.resolve(file))) {
          return read(sources.resolve(file));
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    throw new AssertionError("no source of " + type);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
