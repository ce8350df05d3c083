package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What users see has Javadoc. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PublicDocsTest {
  /** Its suites are the promise; what helps a case says by its name what it is. */
  private static final String CASES = "conformance";

  @Test
  void all_that_is_public_in_an_exported_package_says_what_it_is() throws IOException {
    assertThat(undocumented(exportedSources())).isEmpty();
  }

  private static List<Path> exportedSources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path descriptor : descriptors()) {
      Path module = descriptor.getParent();
      for (String exported : RoomRulesTest.exports(descriptor).keySet()) {
        try (Stream<Path> files = Files.list(module.resolve(exported.replace('.', '/')))) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
    }
    return sources;
  }

  private static List<Path> descriptors() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      return modules
          .filter(module -> !module.endsWith(CASES))
          .map(module -> module.resolve("src/main/java/module-info.java"))
          .filter(Files::exists)
          .toList();
    }
  }

  static List<String> undocumented(List<Path> sources) throws IOException {
    List<String> found = new ArrayList<>();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task = (JavacTask) compiler.getTask(
          null,
          files,
          null,
          List.of("-proc:none"),
          null,
          files.getJavaFileObjectsFromPaths(sources));
      DocTrees docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        new Undocumented(docs, unit, found).scan(unit, null);
      }
    }
    return found;
  }

  /** Goes through what is public and collects what has no comment. */
  private static final class Undocumented extends TreePathScanner<Void, Void> {
    private final DocTrees docs;
    private final CompilationUnitTree unit;
    private final List<String> found;

    private Undocumented(DocTrees docs, CompilationUnitTree unit, List<String> found) {
      this.docs = docs;
      this.unit = unit;
      this.found = found;
    }

    @Override
    public Void visitClass(ClassTree type, Void nothing) {
      if (!isPublic(type.getModifiers())) {
        return null;
      }
      check(type.getSimpleName());
      return super.visitClass(type, nothing);
    }

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
      boolean inherits = method.getModifiers().getAnnotations().stream()
          .anyMatch(annotation -> annotation.getAnnotationType().toString().equals("Override"));
      boolean ofRecord = method.getReturnType() == null && owner() == Tree.Kind.RECORD;
      if (isPublic(method.getModifiers()) && !inherits && !ofRecord) {
        check(method.getName());
      }
      return null;
    }

    @Override
    public Void visitVariable(VariableTree field, Void nothing) {
      if (isPublic(field.getModifiers()) && owner() != Tree.Kind.ENUM) {
        check(field.getName());
      }
      return null;
    }

    private boolean isPublic(ModifiersTree modifiers) {
      Set<Modifier> flags = modifiers.getFlags();
      return flags.contains(Modifier.PUBLIC)
          || flags.contains(Modifier.PROTECTED)
          || owner() == Tree.Kind.INTERFACE && !flags.contains(Modifier.PRIVATE);
    }

    private Tree.Kind owner() {
      return getCurrentPath().getParentPath().getLeaf().getKind();
    }

    private void check(CharSequence name) {
      if (docs.getDocComment(getCurrentPath()) == null) {
        long line = unit.getLineMap()
            .getLineNumber(docs.getSourcePositions()
                .getStartPosition(unit, getCurrentPath().getLeaf()));
        found.add(Path.of(unit.getSourceFile().getName()).normalize() + ":" + line + " " + name);
      }
    }
  }
}
