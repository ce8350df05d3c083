package dev.runlane.cli;

import dev.runlane.cli.option.UsageException;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code runlane completion}. */
@Command(
    name = "completion",
    header = "Prints a script that completes commands and options.",
    descriptionHeading = "%n",
    parameterListHeading = "%n",
    optionListHeading = "%nOptions:%n",
    footerHeading = "%n",
    footer = {
      "Examples:",
      "  source <(runlane completion bash)",
      "  runlane completion zsh > ~/.runlane-completion && echo 'source ~/.runlane-completion' >> ~/.zshrc",
      "  runlane completion fish > ~/.config/fish/completions/runlane.fish"
    },
    mixinStandardHelpOptions = true)
final class CompletionCommand implements Runnable {
  @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
  private String shell = "";

  @Spec
  private CommandSpec spec = CommandSpec.create();

  CompletionCommand() {}

  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    switch (shell.toLowerCase(Locale.ROOT)) {
      case "bash", "zsh" -> out.print(bash(spec.root().commandLine()));
      case "fish" -> FishCompletion.print(spec.root(), out);
      default ->
        throw new UsageException("there is no completion for " + shell + ": bash, zsh or fish");
    }
    out.flush();
  }

  /** Picocli's generator counts in the digits of the machine's language, which no shell takes. */
  private static String bash(CommandLine root) {
    Locale usual = Locale.getDefault(Locale.Category.FORMAT);
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    try {
      return AutoComplete.bash("runlane", root);
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, usual);
    }
  }
}
