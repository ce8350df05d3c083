package dev.runlane.cli.terminal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rows under headings, aligned. Where the terminal is too narrow for all of them, columns that can be spared are left
 * out until what may shrink stays readable, and then that is cut.
 */
public final class Table {
  private static final String GAP = "  ";
  private static final int NARROWEST = 6;
  private static final int READABLE = 14;

  private final List<Column> columns;
  private final List<List<Cell>> rows = new ArrayList<>();

  /**
   * A column.
   *
   * @param title its heading
   * @param fit what becomes of it where there is too little room
   * @param spare when it is left out before names are cut short: 1 before 2 and so on; 0: never
   */
  public record Column(String title, Fit fit, int spare) {
    /** A column that is shown whole. */
    public static Column whole(String title) {
      return new Column(title, Fit.WHOLE, 0);
    }

    /** A column of numbers, shown whole and to the right. */
    public static Column number(String title) {
      return new Column(title, Fit.NUMBER, 0);
    }

    /** A column that is cut where there is too little room. */
    public static Column shrinking(String title) {
      return new Column(title, Fit.SHRINKS, 0);
    }

    /** The same column, left out where there is too little room, those of a lower {@code order} before it. */
    public Column spare(int order) {
      return new Column(title, fit, order);
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
    List<Integer> shown = shown(terminal.columns());
    int[] widths = widths(shown, terminal.columns());
    List<Cell> headings =
        columns.stream().map(column -> new Cell(column.title(), Style.BOLD)).toList();
    printRow(out, terminal, shown, widths, headings);
    rows.forEach(row -> printRow(out, terminal, shown, widths, row));
  }

  private void printRow(
      PrintStream out, Terminal terminal, List<Integer> shown, int[] widths, List<Cell> row) {
    StringBuilder line = new StringBuilder();
    int last = shown.size() - 1;
    while (last > 0 && row.get(shown.get(last)).text().isEmpty()) {
      last--;
    }
    for (int i = 0; i <= last; i++) {
      Cell cell = row.get(shown.get(i));
      String text = PlainText.cut(cell.text(), widths[i]);
      String padding = " ".repeat(widths[i] - PlainText.width(text));
      boolean right = columns.get(shown.get(i)).fit() == Fit.NUMBER;
      line.append(right ? padding : "")
          .append(terminal.styled(cell.style(), text))
          .append(right || i == last ? "" : padding)
          .append(i == last ? "" : GAP);
    }
    out.println(line);
  }

  /** The columns, by their places, without those that are spared. */
  private List<Integer> shown(int room) {
    List<Integer> shown =
        IntStream.range(0, columns.size()).boxed().collect(Collectors.toCollection(ArrayList::new));
    while (room > 0 && leastRoom(shown) > room) {
      Optional<Integer> spared = shown.stream()
          .filter(column -> columns.get(column).spare() > 0)
          .min(Comparator.comparingInt(column -> columns.get(column).spare()));
      if (spared.isEmpty()) {
        break;
      }
      shown.remove(spared.get());
    }
    return shown;
  }

  /** What columns need so that all of them can be read. */
  private int leastRoom(List<Integer> shown) {
    return total(shown.stream()
        .mapToInt(column -> columns.get(column).fit() == Fit.SHRINKS
            ? Math.min(width(column), READABLE)
            : width(column))
        .toArray());
  }

  private int[] widths(List<Integer> shown, int room) {
    int[] widths = shown.stream().mapToInt(this::width).toArray();
    for (int excess = total(widths) - room; room > 0 && excess > 0; excess--) {
      int widest = widestThatShrinks(shown, widths);
      if (widest < 0) {
        break; // better a line that wraps than an id that cannot be copied
      }
      widths[widest]--;
    }
    return widths;
  }

  /** How wide the column would be. */
  private int width(int column) {
    return Math.max(
        PlainText.width(columns.get(column).title()),
        rows.stream()
            .mapToInt(row -> PlainText.width(row.get(column).text()))
            .max()
            .orElse(0));
  }

  private int widestThatShrinks(List<Integer> shown, int[] widths) {
    int widest = -1;
    for (int i = 0; i < widths.length; i++) {
      Column column = columns.get(shown.get(i));
      boolean shrinks = column.fit() == Fit.SHRINKS
          && widths[i] > Math.max(NARROWEST, PlainText.width(column.title()));
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
