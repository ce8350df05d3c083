package dev.runlane.cli.terminal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Rows under headings, aligned; cells that may shrink are cut where the terminal is too narrow for all of them. */
public final class Table {
  private static final String GAP = "  ";
  private static final int NARROWEST = 6;

  private final List<Column> columns;
  private final List<List<Cell>> rows = new ArrayList<>();

  /**
   * A column.
   *
   * @param title its heading
   * @param fit what becomes of it where there is too little room
   */
  public record Column(String title, Fit fit) {
    /** A column that is shown whole. */
    public static Column whole(String title) {
      return new Column(title, Fit.WHOLE);
    }

    /** A column of numbers, shown whole and to the right. */
    public static Column number(String title) {
      return new Column(title, Fit.NUMBER);
    }

    /** A column that is cut where there is too little room. */
    public static Column shrinking(String title) {
      return new Column(title, Fit.SHRINKS);
    }
  }

  /** What becomes of a column. */
  public enum Fit {
    /** Shown whole: what one copies. */
    WHOLE,
    /** Shown whole and to the right. */
    NUMBER,
    /** Cut where there is too little room. */
    SHRINKS
  }

  /**
   * What stands in a row.
   *
   * @param text without control characters
   * @param style how it is shown
   */
  public record Cell(String text, Style style) {
    /** Replaces control characters: what is stored must not steer the terminal. */
    public Cell {
      text = PlainText.oneLine(text);
    }

    /** A cell in no particular style. */
    public static Cell of(Object text) {
      return new Cell(String.valueOf(text), Style.PLAIN);
    }
  }

  /** A table without rows. */
  public Table(Column... columns) {
    this.columns = List.of(columns);
  }

  /** Adds a row, a cell for each column. */
  public void add(Cell... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException("a row has a cell for each column");
    }
    rows.add(List.of(cells));
  }

  /** Whether there is nothing to show. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Writes headings and rows; nothing follows the last cell of a line. */
  public void print(PrintStream out, Terminal terminal) {
    int[] widths = widths(terminal.columns());
    List<Cell> headings =
        columns.stream().map(column -> new Cell(column.title(), Style.BOLD)).toList();
    printRow(out, terminal, widths, headings);
    rows.forEach(row -> printRow(out, terminal, widths, row));
  }

  private void printRow(PrintStream out, Terminal terminal, int[] widths, List<Cell> row) {
    StringBuilder line = new StringBuilder();
    int last = row.size() - 1;
    while (last > 0 && row.get(last).text().isEmpty()) {
      last--;
    }
    for (int i = 0; i <= last; i++) {
      Cell cell = row.get(i);
      String text = PlainText.cut(cell.text(), widths[i]);
      String padding = " ".repeat(widths[i] - PlainText.width(text));
      boolean right = columns.get(i).fit() == Fit.NUMBER;
      line.append(right ? padding : "")
          .append(terminal.styled(cell.style(), text))
          .append(right || i == last ? "" : padding)
          .append(i == last ? "" : GAP);
    }
    out.println(line);
  }

  private int[] widths(int room) {
    int[] widths = new int[columns.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      widths[i] = Math.max(
          PlainText.width(columns.get(i).title()),
          rows.stream()
              .mapToInt(row -> PlainText.width(row.get(column).text()))
              .max()
              .orElse(0));
    }
    for (int excess = total(widths) - room; room > 0 && excess > 0; excess--) {
      int widest = widestThatShrinks(widths);
      if (widest < 0) {
        break; // better a line that wraps than an id that cannot be copied
      }
      widths[widest]--;
    }
    return widths;
  }

  private int widestThatShrinks(int[] widths) {
    int widest = -1;
    for (int i = 0; i < widths.length; i++) {
      boolean shrinks = columns.get(i).fit() == Fit.SHRINKS
          && widths[i] > Math.max(NARROWEST, PlainText.width(columns.get(i).title()));
      if (shrinks && (widest < 0 || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    return widest;
  }

  private static int total(int[] widths) {
    int total = GAP.length() * (widths.length - 1);
    for (int width : widths) {
      total += width;
    }
    return total;
  }
}
