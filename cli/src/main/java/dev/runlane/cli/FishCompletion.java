package dev.runlane.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The commands and options as fish completes them; picocli knows bash and zsh alone. */
final class FishCompletion {
  private FishCompletion() {}

  static void print(CommandSpec root, PrintWriter out) {
    out.println("# Completions of " + root.name() + " for fish");
    out.println("complete -c " + root.name() + " -f");
    print(root, root.name(), List.of(), out);
  }

  private static void print(
      CommandSpec command, String program, List<String> path, PrintWriter out) {
    String here = condition(path, command.subcommands().keySet().stream().toList());
    command.subcommands().forEach((name, line) -> {
      String about = about(line);
      out.println("complete -c " + program + " -n " + quoted(here) + " -a " + name
          + (about.isEmpty() ? "" : " -d " + quoted(about)));
    });
    String within = condition(path, List.of());
    for (OptionSpec option : command.options()) {
      if (option.hidden()) {
        continue;
      }
      out.println("complete -c " + program + " -n " + quoted(within) + names(option)
          + (option.arity().max() > 0 ? " -r" : "")
          + (option.description().length == 0
              ? ""
              : " -d " + quoted(firstSentence(option.description()[0]))));
    }
    command.subcommands().forEach((name, line) -> {
      List<String> deeper = new ArrayList<>(path);
      deeper.add(name);
      print(line.getCommandSpec(), program, deeper, out);
    });
  }

  private static String condition(List<String> path, List<String> notYet) {
    StringBuilder condition = new StringBuilder();
    path.forEach(name -> condition
        .append(condition.isEmpty() ? "" : "; and ")
        .append("__fish_seen_subcommand_from ")
        .append(name));
    if (!notYet.isEmpty()) {
      condition
          .append(condition.isEmpty() ? "" : "; and ")
          .append("not __fish_seen_subcommand_from ")
          .append(String.join(" ", notYet));
    }
    return condition.isEmpty() ? "true" : condition.toString();
  }

  private static String names(OptionSpec option) {
    StringBuilder names = new StringBuilder();
    for (String name : option.names()) {
      String word = name.startsWith("--") ? name.substring(2) : name.substring(1);
      String kind = name.startsWith("--") ? " -l " : word.length() == 1 ? " -s " : " -o ";
      names.append(kind).append(word);
    }
    return names.toString();
  }

  private static String about(CommandLine line) {
    String[] header = line.getCommandSpec().usageMessage().header();
    String[] description = line.getCommandSpec().usageMessage().description();
    String[] told = header.length > 0 ? header : description;
    return told.length == 0 ? "" : firstSentence(told[0]);
  }

  private static String firstSentence(String text) {
    int end = text.indexOf(". ");
    return (end < 0 ? text : text.substring(0, end)).replaceAll("\\.$", "");
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
