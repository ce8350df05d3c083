package dev.runlane.conformance.race.order;

import dev.runlane.conformance.drawn.Story;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Tells a race that no order explains. */
public final class RaceStory {
  private static final int LONGEST_LINE = 400;

  private RaceStory() {}

  /** What the tellings call a contender. */
  public static String nameOf(int contender) {
    return String.valueOf((char) ('A' + contender));
  }

  static String of(Object command) {
    return Story.told(command);
  }

  /**
   * All of it.
   *
   * @param property says how many races there are
   * @param tried why each order does not explain it
   */
  public static String told(
      long seed,
      String property,
      List<Played> before,
      List<Played> contenders,
      List<String> tried) {
    return """
        seed %s (-D%s.from=%s -D%s=1): no order explains the answers to commands that were started
        together. After

        %s

        there were started

        %s

        and the orders that were tried fail with

        %s""".formatted(
            seed,
            property,
            seed,
            property,
            before.stream()
                .map(each -> "  " + Story.told(each.step().command()))
                .collect(Collectors.joining("\n")),
            IntStream.range(0, contenders.size())
                .mapToObj(i -> "  %s  %s%n     answer: %s"
                    .formatted(
                        nameOf(i),
                        Story.told(contenders.get(i).step().command()),
                        toldAnswer(contenders.get(i).answer())))
                .collect(Collectors.joining("\n")),
            tried.stream()
                .flatMap(each -> ("  " + each).lines())
                .map(RaceStory::shortened)
                .collect(Collectors.joining("\n")));
  }

  private static String toldAnswer(@Nullable Object answer) {
    return answer instanceof Throwable failure && failure.getCause() != null
        ? failure + ", caused by " + failure.getCause()
        : Story.told(answer);
  }

  private static String shortened(String line) {
    return line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) + " ..." : line;
  }
}
