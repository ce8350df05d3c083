package dev.runlane.console.page;

import dev.runlane.run.RunlaneException;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The modules of the first page as one file, since a browser that asks for twenty spends more time on asking than on
 * all the rest. Each stays a module: a function of its own in the file, run once, behind what it imports. Under its own
 * name there is what passes on its exports, for the pages that are read later.
 *
 * <p>It links what the modules of this folder are written in, and refuses the rest: an import or export is one line;
 * exported are functions, classes and constants; where a path is looked up as the module runs stands in the top folder.
 */
final class LinkedModules {
  /** The one file. */
  static final String NAME = "first.js";

  private static final Pattern BINDINGS =
      Pattern.compile("(import|export) \\{ ([^}]*) } from '(\\.[^']+)';");
  private static final Pattern EFFECTS = Pattern.compile("import '(\\.[^']+)';");
  private static final Pattern DECLARED =
      Pattern.compile("export ((?:async )?function\\*? |class |const )(\\w+)(.*)");
  private static final Pattern PLACE = Pattern.compile("\\bimport\\.meta\\b|(?<!\\{)\\bimport\\(");

  private final Map<String, Buffer> files;
  private final Map<String, String> linked =
      new LinkedHashMap<>(); // by name, in the order they run
  private final Map<String, Set<String>> exported = new LinkedHashMap<>();
  private final Set<String> libraries = new LinkedHashSet<>();
  private final List<String> path = new ArrayList<>(); // what imports what is being linked

  private LinkedModules(Map<String, Buffer> files) {
    this.files = files;
  }

  /**
   * The same files and one more, in which these modules run, in this order, with all that they import. Fails for what
   * it cannot link.
   */
  static Map<String, Buffer> of(Map<String, Buffer> files, List<String> first) {
    LinkedModules modules = new LinkedModules(files);
    first.forEach(modules::link);
    Map<String, Buffer> all = new TreeMap<>(files);
    modules.linked.keySet().forEach(name -> all.put(name, modules.passedOn(name)));
    all.put(NAME, modules.whole());
    return all;
  }

  /** What is not linked, but read before the one file runs. */
  static Set<String> librariesOf(Map<String, Buffer> files) {
    return Pattern.compile("(?m)^import \\* as \\w+ from '\\./([^']+)';$")
        .matcher(text(files, NAME))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private void link(String name) {
    if (linked.containsKey(name)) {
      return;
    }
    if (path.contains(name)) {
      throw refused(name, "it imports itself by way of " + path);
    }
    path.add(name);
    Set<String> exports = new LinkedHashSet<>();
    String code = text(files, name)
        .lines()
        .map(line -> linkedLine(name, line, exports))
        .collect(Collectors.joining("\n"));
    path.remove(name);
    exported.put(name, exports);
    linked.put(name, code);
  }

  private String linkedLine(String name, String line, Set<String> exports) {
    Matcher bindings = BINDINGS.matcher(line);
    Matcher effects = EFFECTS.matcher(line);
    Matcher declared = DECLARED.matcher(line);
    if (bindings.matches()) {
      if (bindings.group(1).equals("export")) {
        exports.addAll(List.of(bindings.group(2).split(", ")));
      }
      return "const { %s } = %s;"
          .formatted(bindings.group(2).replace(" as ", ": "), imported(name, bindings.group(3)));
    }
    if (effects.matches()) {
      imported(name, effects.group(1));
      return "";
    }
    if (declared.matches()) {
      exports.add(declared.group(2));
      return declared.group(1) + declared.group(2) + declared.group(3);
    }
    if (line.startsWith("import ") || line.startsWith("export ")) {
      throw refused(name, "it has the line " + line);
    }
    if (name.contains("/") && !isComment(line) && PLACE.matcher(line).find()) {
      throw refused(name, "it looks a path up outside of the top folder: " + line);
    }
    return line;
  }

  private static boolean isComment(String line) {
    String text = line.strip();
    return text.startsWith("*")
        || text.startsWith("/*")
        || text.startsWith("//")
        || text.startsWith("#");
  }

  /** Links what is imported; answers the constant that has its exports. */
  private String imported(String by, String specifier) {
    String name = Path.of(by).resolveSibling(specifier).normalize().toString();
    if (name.startsWith("vendor/")) {
      libraries.add(name);
    } else {
      link(name);
    }
    return constant(name);
  }

  private static String constant(String name) {
    return name.replaceAll("\\W", "_");
  }

  private Buffer whole() {
    String imports = libraries.stream()
        .map(name -> "import * as %s from './%s';\n".formatted(constant(name), name))
        .collect(Collectors.joining());
    String modules = linked.entrySet().stream()
        .map(module -> "const %s = (() => {\n%s\nreturn { %s };\n})();\n"
            .formatted(
                constant(module.getKey()),
                module.getValue(),
                String.join(", ", exported.getOrDefault(module.getKey(), Set.of()))))
        .collect(Collectors.joining());
    String exports =
        linked.keySet().stream().map(LinkedModules::constant).collect(Collectors.joining(", "));
    return Buffer.buffer(imports + modules + "export { " + exports + " };\n");
  }

  private Buffer passedOn(String name) {
    String file = "../".repeat(Path.of(name).getNameCount() - 1) + NAME;
    Set<String> exports = exported.getOrDefault(name, Set.of());
    return Buffer.buffer("import { %1$s } from '%2$s';\nexport const { %3$s } = %1$s;\n"
        .formatted(
            constant(name),
            file.startsWith("../") ? file : "./" + file,
            String.join(", ", exports)));
  }

  private static String text(Map<String, Buffer> files, String name) {
    Buffer module = files.get(name);
    if (module == null) {
      throw RunlaneException.invariantViolation("a module imports %s, which is not there", name);
    }
    return module.toString(StandardCharsets.UTF_8);
  }

  private static RunlaneException refused(String name, String why) {
    return RunlaneException.invariantViolation("%s cannot be linked: %s", name, why);
  }
}
