package dev.runlane.connectorkit.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which records' details a run collected. While one that is required is neither among the hydrated, nor a {@link
 * DetailGap}, nor optional, the runtime holds the cursor of {@code stateStream} back, so that the next run begins
 * before it.
 *
 * @param stream the stream of the details
 * @param stateStream the stream whose cursor depends on them
 * @param required the records whose details are wanted
 * @param hydrated those whose details were collected
 * @param gaps those that were reported as gaps
 * @param optional those that nobody misses
 * @param considered how many records were looked at, or null
 * @param covered how many of these are complete, or null
 */
public record DetailCoverage(
    String stream,
    String stateStream,
    List<RecordKey> required,
    List<RecordKey> hydrated,
    List<RecordKey> gaps,
    List<RecordKey> optional,
    @Nullable Long considered,
    @Nullable Long covered) {

  /** Copies the lists; refuses negative numbers. */
  public DetailCoverage {
    required = List.copyOf(required);
    hydrated = List.copyOf(hydrated);
    gaps = List.copyOf(gaps);
    optional = List.copyOf(optional);
    if ((considered != null && considered < 0) || (covered != null && covered < 0)) {
      throw new IllegalArgumentException("considered and covered are not negative");
    }
  }

  /** The details that were wanted, and those that were had. */
  public static DetailCoverage of(
      String stream, String stateStream, List<RecordKey> required, List<RecordKey> hydrated) {
    return new DetailCoverage(
        stream, stateStream, required, hydrated, List.of(), List.of(), null, null);
  }

  /** The same, with records that were reported as gaps. */
  public DetailCoverage withGaps(List<RecordKey> keys) {
    return new DetailCoverage(
        stream, stateStream, required, hydrated, keys, optional, considered, covered);
  }

  /** The same, with records whose details nobody misses. */
  public DetailCoverage withOptional(List<RecordKey> keys) {
    return new DetailCoverage(
        stream, stateStream, required, hydrated, gaps, keys, considered, covered);
  }

  /** The same, in numbers. */
  public DetailCoverage counting(long looked, long complete) {
    return new DetailCoverage(
        stream, stateStream, required, hydrated, gaps, optional, looked, complete);
  }
}
