package dev.runlane.cli.terminal;

import java.io.PrintStream;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A stream whose lines cannot steer a terminal, whatever name or id of the storage stands in them: colours stay, and so
 * does what {@link #print(String)} draws. What JSON may hold as it is, such as a change of direction, is escaped as
 * JSON does.
 */
public final class SafeOutput extends PrintStream {
  private static final Pattern STEERING =
      Pattern.compile("\\x1b\\[[0-9;]*m|[\\p{Cc}\\p{Cf}&&[^\\n\\t]]");

  private static final int LAST_OF_ASCII = 0x7f;

  private final PrintStream target;

  /** In front of a stream, which encodes what is written. */
  public SafeOutput(PrintStream target) {
    super(target);
    this.target = target;
  }

  @Override
  public void println(String line) {
    target.println(safe(line));
  }

  @Override
  public void println(Object line) {
    target.println(safe(String.valueOf(line)));
  }

  @Override
  public void println() {
    target.println();
  }

  @Override
  public void print(String text) {
    target.print(text);
  }

  @Override
  public void print(Object text) {
    target.print(text);
  }

  private static String safe(String line) {
    return STEERING.matcher(line).replaceAll(SafeOutput::shown);
  }

  private static String shown(MatchResult found) {
    String text = found.group();
    if (text.length() > 2) {
      return text; // a colour
    }
    if (text.charAt(0) <= LAST_OF_ASCII) {
      return "\ufffd";
    }
    StringBuilder escaped = new StringBuilder();
    text.chars().forEach(each -> escaped.append("\\\\u%04x".formatted(each)));
    return escaped.toString();
  }
}
