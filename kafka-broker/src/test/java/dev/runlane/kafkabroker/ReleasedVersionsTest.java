package dev.runlane.kafkabroker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The rest of the build manages other versions of some of the broker's libraries. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReleasedVersionsTest {

  @Test
  void the_broker_runs_with_the_versions_it_was_released_with() throws Exception {
    Set<String> ours = new TreeSet<>(classPath());
    Set<String> others = new TreeSet<>();
    Set<String> named = new TreeSet<>();
    for (Path pom : kafkaPoms()) {
      for (String jar : namedIn(pom)) {
        named.add(jar);
        if (!ours.contains(jar)) {
          others.add(jar + ", named in " + pom.getFileName());
        }
      }
    }

    assertThat(named).anyMatch(jar -> jar.startsWith("jackson-databind-"));
    assertThat(others).isEmpty();
  }

  @Test
  void every_jar_of_the_class_path_is_there_as_a_file() throws IOException {
    List<String> missing = classPath().stream()
        .filter(name -> BrokerMain.class.getResource("lib/" + name) == null)
        .toList();

    assertThat(missing).isEmpty();
  }

  /** The names of the jars, without their folder. */
  private static List<String> classPath() throws IOException {
    try (InputStream resource = BrokerMain.class.getResourceAsStream("broker.classpath")) {
      String line = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
      return Stream.of(line.split(":"))
          .map(entry -> entry.substring("lib/".length()))
          .toList();
    }
  }

  /** Those beside the jars in Maven's repository. */
  private static List<Path> kafkaPoms() {
    List<Path> poms = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path pom = Path.of(entry.replaceFirst("\\.jar$", ".pom"));
      if (entry.contains("org/apache/kafka/") && Files.exists(pom)) {
        poms.add(pom);
      }
    }
    return poms;
  }

  private static List<String> namedIn(Path pom) throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
    NodeList dependencies = document.getElementsByTagName("dependency");
    List<String> jars = new ArrayList<>();
    for (int i = 0; i < dependencies.getLength(); i++) {
      Element dependency = (Element) dependencies.item(i);
      jars.add(text(dependency, "artifactId") + "-" + text(dependency, "version") + ".jar");
    }
    return jars;
  }

  private static String text(Element parent, String name) {
    return parent.getElementsByTagName(name).item(0).getTextContent().strip();
  }
}
