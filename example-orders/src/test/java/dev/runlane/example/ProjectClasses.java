package dev.runlane.example;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The main classes of every module, and which module each is of. */
final class ProjectClasses {
  /** A jar in some folder, or the folder the compiler wrote to. */
  private static final Pattern MODULE = Pattern.compile(
      "(?:/runlane-([a-z][a-z0-9-]*?)-[0-9][^/]*\\.jar!|/([a-z][a-z0-9-]*)/target/classes/)");

  static final JavaClasses ALL = all();

  private ProjectClasses() {}

  /** Of classes of others the rules want names only: to read them too takes longer than all of ours. */
  private static JavaClasses all() {
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        .withImportOption(location -> MODULE.matcher(location.toString()).find())
        .importPackages("dev.runlane..");
  }

  /** The folder of the class's module. */
  static String moduleOf(JavaClass type) {
    String source = type.getSource().orElseThrow().getUri().toString();
    Matcher module = MODULE.matcher(source);
    if (!module.find()) {
      throw new AssertionError("no module has " + source);
    }
    return module.group(1) == null ? module.group(2) : module.group(1);
  }

  static DescribedPredicate<JavaClass> areOf(String module) {
    return DescribedPredicate.describe(
        "are of " + module, type -> isOurs(type) && moduleOf(type).equals(module));
  }

  static boolean isOurs(JavaClass type) {
    return type.getPackageName().startsWith("dev.runlane") && type.getSource().isPresent();
  }
}
