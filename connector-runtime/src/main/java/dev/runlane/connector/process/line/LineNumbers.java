package dev.runlane.connector.process.line;

import java.util.Arrays;

/** Which lines of a child's output the items of a batch were: from 1, blank lines counted, as an editor counts them. */
public final class LineNumbers {
  private static final int USUAL = 64;

  private long[] numbers = new long[USUAL];
  private int size;

  LineNumbers() {}

  /** The line that the item at {@code index} was. */
  public long of(int index) {
    if (index >= size) {
      throw new IndexOutOfBoundsException("line " + index + " of " + size);
    }
    return numbers[index];
  }

  void add(long number) {
    makeRoom(1);
    numbers[size++] = number;
  }

  void addAll(LineNumbers others) {
    makeRoom(others.size);
    System.arraycopy(others.numbers, 0, numbers, size, others.size);
    size += others.size;
  }

  private void makeRoom(int more) {
    if (size + more > numbers.length) {
      numbers = Arrays.copyOf(numbers, Math.max(2 * numbers.length, size + more));
    }
  }
}
