package dev.runlane.example;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A page of the project, as a reader sees it on its host: blocks, links, and the anchors that its headings make.
 *
 * @param file where it is
 * @param text all of it
 */
record MarkdownPage(Path file, String text) {
  static final Path PROJECT = Path.of("..");

  private static final Set<String> MADE_BY_TOOLS = Set.of("target", "node_modules", ".git");

  private static final Pattern BLOCK =
      Pattern.compile("^```([a-z]*)\\R(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.+?) *$", Pattern.MULTILINE);
  private static final Pattern LINK_TEXT = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");

  static MarkdownPage read(Path file) {
    try {
      return new MarkdownPage(file.normalize(), Files.readString(file));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** All pages below a folder, in order, without what tools put there. */
  static List<MarkdownPage> below(Path folder) {
    return files(folder, ".md").stream().map(MarkdownPage::read).toList();
  }

  /** The project's own files below a folder, in order; what is built meanwhile comes and goes, and is not entered. */
  static List<Path> files(Path folder, String end) {
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(folder, new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
          return MADE_BY_TOOLS.contains(String.valueOf(each.getFileName()))
              ? FileVisitResult.SKIP_SUBTREE
              : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) {
          if (each.toString().endsWith(end)) {
            found.add(each);
          }
          return FileVisitResult.CONTINUE;
        }
      });
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    Collections.sort(found);
    return found;
  }

  /** The blocks in a language. */
  List<String> blocks(String language) {
    return BLOCK
        .matcher(text)
        .results()
        .filter(block -> block.group(1).equals(language))
        .map((MatchResult block) -> block.group(2))
        .toList();
  }

  /** The languages of its blocks; empty for one that names none. */
  Set<String> languages() {
    Set<String> languages = new HashSet<>();
    BLOCK.matcher(text).results().forEach(block -> languages.add(block.group(1)));
    return languages;
  }

  /** The targets of its links, as they are written. */
  List<String> links() {
    return LINK.matcher(prose()).results().map(link -> link.group(1)).toList();
  }

  /** What a link may name behind its hash sign. */
  Set<String> anchors() {
    Set<String> anchors = new HashSet<>();
    HEADING.matcher(prose()).results().forEach(heading -> anchors.add(anchor(heading.group(1))));
    return anchors;
  }

  private String prose() {
    return BLOCK.matcher(text).replaceAll("");
  }

  private static String anchor(String heading) {
    return LINK_TEXT
        .matcher(heading)
        .replaceAll("$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
