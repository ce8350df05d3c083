package dev.runlane.telemetry;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The dashboard and the alerts against what Prometheus reads from a loaded process, and against the guide. */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class DashboardsTest {
  private static final Path DASHBOARD = Path.of("dashboards", "runlane.json");
  private static final Path ALERTS = Path.of("dashboards", "alerts.yml");
  private static final Path GUIDE = Path.of("..", "docs", "operations.md");
  private static final Pattern METRIC = Pattern.compile("\\brunlane_[a-z_]+\\b");
  private static final Pattern LABEL = Pattern.compile(
      "\\b(?:messaging_[a-z_]+|error_type|runlane_(?:task|outcome|role|source|state|group|topic|job|connector))\\b");
  private static final Pattern ALERT = Pattern.compile("(?m)^ +- alert: (\\w+)$");
  private static final Pattern SECTION = Pattern.compile("(?m)^## (\\w+)$");

  @Test
  void every_metric_of_the_dashboard_is_in_the_scrape_of_a_loaded_system() throws IOException {
    JsonArray panels = new JsonObject(Files.readString(DASHBOARD)).getJsonArray("panels");
    Set<String> wanted = new TreeSet<>();
    for (int index = 0; index < panels.size(); index++) {
      JsonArray targets = panels.getJsonObject(index).getJsonArray("targets", new JsonArray());
      for (int target = 0; target < targets.size(); target++) {
        wanted.addAll(metrics(targets.getJsonObject(target).getString("expr")));
      }
    }

    assertThat(wanted).hasSizeGreaterThan(15);
    assertThat(scraped()).containsAll(wanted);
  }

  @Test
  void every_metric_of_an_alert_is_in_the_scrape_of_a_loaded_system() throws IOException {
    Set<String> wanted = metrics(Files.readString(ALERTS));

    assertThat(wanted).hasSizeGreaterThan(10);
    assertThat(scraped()).containsAll(wanted);
  }

  @Test
  void every_label_that_is_asked_for_is_in_the_scrape() throws IOException {
    String scrape = scrape();
    Set<String> labels = found(LABEL, Files.readString(ALERTS));
    labels.addAll(found(LABEL, Files.readString(DASHBOARD)));

    assertThat(labels).isNotEmpty().allSatisfy(label -> assertThat(scrape).contains(label + "=\""));
  }

  @Test
  void the_guide_has_a_section_with_what_to_do_for_each_alert_and_for_nothing_else()
      throws IOException {
    String guide = Files.readString(GUIDE);

    assertThat(SECTION.matcher(guide).results().map(match -> match.group(1)))
        .containsExactlyElementsOf(alerts());
    for (String section : guide.split("(?m)^## ")) {
      assertThat(section).contains(section.startsWith("# ") ? "explain(id)" : "What to do:\n\n1. ");
    }
  }

  @Test
  void each_alert_leads_to_its_section() throws IOException {
    String rules = Files.readString(ALERTS);

    assertThat(alerts()).hasSizeGreaterThan(10).allSatisfy(alert -> assertThat(rules)
        .contains("runbook: docs/operations.md#" + alert.toLowerCase(Locale.ROOT) + "\n"));
  }

  private static List<String> alerts() throws IOException {
    return ALERT
        .matcher(Files.readString(ALERTS))
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  private static Set<String> metrics(String expressions) {
    Set<String> names = found(METRIC, expressions);
    names.removeIf(name -> LABEL.matcher(name).matches());
    return names;
  }

  private static String scrape() {
    return LoadedSystem.scrape() + LoadedKafka.scrape();
  }

  private static Set<String> scraped() {
    return scrape()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("[{ ]")[0])
        .collect(toCollection(TreeSet::new));
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.group())
        .collect(toCollection(TreeSet::new));
  }
}
