package dev.runlane.cli.terminal;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the command's output goes to.
 *
 * @param columns how wide it is; 0: it is none, or its width is not known, and nothing is cut
 * @param hasColour whether text may be coloured
 * @param isErrorShown whether what is written to standard error is read at a terminal, so that progress may be drawn
 * @param isPipe whether {@code out} is read by another program
 */
public record Terminal(int columns, boolean hasColour, boolean isErrorShown, boolean isPipe) {
  /** A file. */
  public static final Terminal NONE = new Terminal(0, false, false, false);

  private static final int LONGEST_SECONDS = 2;

  /**
   * The terminal of this process, by its standard streams; {@code NO_COLOR} takes its colours, and
   * {@code TERM=dumb} progress too.
   */
  public static Terminal ofProcess(Map<String, String> environment) {
    boolean shown = isTerminal(1);
    boolean dumb = environment.getOrDefault("TERM", "dumb").equals("dumb");
    boolean plain = dumb || !environment.getOrDefault("NO_COLOR", "").isEmpty();
    return new Terminal(
        shown ? width() : 0,
        shown && !plain,
        isTerminal(2) && !dumb,
        target(1).startsWith("pipe:"));
  }

  /** The text in a style, where there are colours. */
  public String styled(Style style, String text) {
    return hasColour && style != Style.PLAIN ? style.code() + text + Style.END : text;
  }

  private static boolean isTerminal(int descriptor) {
    String name = target(descriptor);
    return name.startsWith("/dev/pts/")
        || name.startsWith("/dev/tty")
        || name.equals("/dev/console");
  }

  /** What a descriptor of this process leads to; empty where the system does not say. */
  private static String target(int descriptor) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
    } catch (IOException | UnsupportedOperationException elsewhere) {
      return "";
    }
  }

  /** Java knows no width; {@code stty} asks the terminal for it. */
  private static int width() {
    try {
      Process stty = new ProcessBuilder("stty", "size")
          .redirectInput(new File("/dev/tty"))
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return stty.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)
              && size.matches("\\d{1,5} \\d{1,5}\\s*")
          ? Integer.parseInt(size.substring(size.indexOf(' ') + 1).strip())
          : 0;
    } catch (IOException missing) {
      return 0;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }
}
