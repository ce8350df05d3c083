package dev.runlane.cli.option;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Tags, as {@code name:value}. */
public final class TagOptions {
  @Option(
      names = "--tag",
      paramLabel = "NAME:VALUE",
      description = "A tag of the run, such as customer:acme; may be given several times.")
  private List<String> tags = List.of();

  /** What was given, in its order. Throws {@link UsageException}. */
  public Map<String, String> tags() {
    Map<String, String> found = new LinkedHashMap<>();
    for (String tag : tags) {
      int end = tag.indexOf(':');
      if (end < 1 || end == tag.length() - 1) {
        throw new UsageException("--tag: \"" + tag + "\" is no tag, such as customer:acme");
      }
      if (found.putIfAbsent(tag.substring(0, end), tag.substring(end + 1)) != null) {
        throw new UsageException("--tag: " + tag.substring(0, end) + " is given twice");
      }
    }
    return found;
  }
}
