package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** What goes to a public repository, what stays, and that what goes is complete. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PublishedModulesTest {
  private static final Path PROJECT = Path.of("..");

  /** Programs and tests of this project, and a broker of others' jars, which test-infra can do without. */
  private static final List<String> OURS_ALONE =
      List.of("kafka-broker", "simulation", "example-orders", "drills", "benchmarks");

  private final Element root = pom(PROJECT);
  private final List<Element> modules = children(child(root, "modules"), "module")
      .map(module -> pom(PROJECT.resolve(text(module))))
      .toList();

  @Test
  void what_is_for_this_project_alone_is_never_deployed() {
    assertThat(modules.stream().filter(module -> !isPublished(module)))
        .extracting(PublishedModulesTest::artifact)
        .containsExactlyElementsOf(
            OURS_ALONE.stream().map(folder -> "runlane-" + folder).toList());
  }

  @Test
  void the_bom_has_every_published_module_in_the_order_of_the_build_and_nothing_else() {
    Element bom = pom(PROJECT.resolve("bom"));

    List<Element> managed = children(
            child(child(bom, "dependencyManagement"), "dependencies"), "dependency")
        .toList();

    assertThat(managed)
        .extracting(PublishedModulesTest::artifact)
        .containsExactlyElementsOf(modules.stream()
            .filter(PublishedModulesTest::isPublished)
            .map(PublishedModulesTest::artifact)
            .filter(artifact -> !artifact.equals("runlane-bom"))
            .toList());
    assertThat(managed)
        .allMatch(each -> text(child(each, "groupId")).equals("dev.runlane"))
        .allMatch(each -> text(child(each, "version")).equals("${project.version}"));
  }

  @Test
  void a_published_module_needs_published_ones_alone() {
    Map<String, List<String>> unpublished = new TreeMap<>();
    modules.stream().filter(PublishedModulesTest::isPublished).forEach(module -> {
      List<String> missing = needed(module)
          .filter(artifact -> OURS_ALONE.contains(artifact.replaceFirst("^runlane-", "")))
          .toList();
      if (!missing.isEmpty()) {
        unpublished.put(artifact(module), missing);
      }
    });

    assertThat(unpublished).isEmpty();
  }

  @Test
  void every_module_says_what_it_is_and_the_parent_whose_and_under_which_licence() {
    assertThat(modules).allSatisfy(module -> assertThat(List.of("name", "description"))
        .as(artifact(module))
        .allSatisfy(element -> assertThat(text(child(module, element))).isNotBlank()));
    assertThat(List.of("name", "description", "url", "licenses", "developers", "scm"))
        .allSatisfy(element -> assertThat(text(child(root, element))).isNotBlank());
  }

  @Test
  void every_published_jar_has_licence_and_notice() throws IOException {
    for (Element module : modules) {
      if (isPublished(module) && !artifact(module).equals("runlane-bom")) {
        Path classes = PROJECT
            .resolve(artifact(module).replaceFirst("^runlane-", ""))
            .resolve("target/classes/META-INF");
        for (String file : List.of("LICENSE", "NOTICE")) {
          assertThat(classes.resolve(file)).hasSameTextualContentAs(PROJECT.resolve(file));
        }
      }
    }
  }

  /** Artifacts of this project that come along with the module. */
  private static Stream<String> needed(Element module) {
    return children(module, "dependencies")
        .flatMap(dependencies -> children(dependencies, "dependency"))
        .filter(dependency ->
            children(dependency, "scope").noneMatch(each -> text(each).equals("test")))
        .filter(dependency ->
            children(dependency, "optional").noneMatch(each -> text(each).equals("true")))
        .map(PublishedModulesTest::artifact)
        .filter(artifact -> artifact.startsWith("runlane-"));
  }

  private static boolean isPublished(Element module) {
    return children(module, "properties")
        .flatMap(properties -> children(properties, "maven.deploy.skip"))
        .noneMatch(skipped -> text(skipped).equals("true"));
  }

  private static String artifact(Element of) {
    return text(child(of, "artifactId"));
  }

  private static Element child(Element parent, String name) {
    return children(parent, name)
        .findFirst()
        .orElseThrow(() -> new AssertionError(parent.getTagName() + " has no " + name));
  }

  private static Stream<Element> children(Element parent, String name) {
    return IntStream.range(0, parent.getChildNodes().getLength())
        .mapToObj(parent.getChildNodes()::item)
        .filter(node ->
            node.getNodeType() == Node.ELEMENT_NODE && node.getNodeName().equals(name))
        .map(Element.class::cast);
  }

  private static String text(Element element) {
    return element.getTextContent().strip();
  }

  private static Element pom(Path folder) {
    Path file = folder.resolve("pom.xml");
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(Files.newInputStream(file), file.toString())
          .getDocumentElement();
    } catch (Exception failure) {
      throw new AssertionError(file + " can't be read", failure);
    }
  }
}
