package dev.runlane.connector.process.os;

/**
 * What {@code /proc/PID/stat} says of a process.
 *
 * @param state one letter; Z and X are dead
 * @param session the id of its session, which is the pid of the process that began it
 * @param startTicks when it began: ticks since the machine's start
 */
public record ProcessStat(
    long pid, char state, long parent, long group, long session, long startTicks) {
  private static final int STATE =
      0; // the fields after the name, which may itself hold spaces and brackets
  private static final int PARENT = 1;
  private static final int GROUP = 2;
  private static final int SESSION = 3;
  private static final int START = 19;

  static ProcessStat parse(long pid, String text) {
    String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
    return new ProcessStat(
        pid,
        fields[STATE].charAt(0),
        Long.parseLong(fields[PARENT]),
        Long.parseLong(fields[GROUP]),
        Long.parseLong(fields[SESSION]),
        Long.parseLong(fields[START]));
  }

  boolean isDead() {
    return state == 'Z' || state == 'X';
  }
}
