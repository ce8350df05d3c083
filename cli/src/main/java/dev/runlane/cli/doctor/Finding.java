package dev.runlane.cli.doctor;

/**
 * Something that wants attention.
 *
 * @param check which check found it; the names never change
 * @param severity how much it matters
 * @param text what was found, with names and numbers
 * @param meaning what follows from it
 * @param mend the command that mends it, or what to do
 */
public record Finding(String check, Severity severity, String text, String meaning, String mend) {
  /** How much a finding matters. */
  public enum Severity {
    /** Runs are lost, stuck or wrong, or will be. */
    ERROR("error"),
    /** Runs are late, or will be. */
    WARNING("warning"),
    /** Worth knowing. */
    NOTE("note");

    private final String value;

    Severity(String value) {
      this.value = value;
    }

    /** The string in JSON. */
    public String value() {
      return value;
    }
  }
}
