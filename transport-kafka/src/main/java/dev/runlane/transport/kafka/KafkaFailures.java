package dev.runlane.transport.kafka;

import dev.runlane.json.JsonValues;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What failures of Kafka's clients mean. */
final class KafkaFailures {
  private static final int MOST_CAUSES = 10;
  private static final Pattern QUOTED_LOGIN =
      Pattern.compile("'.*' in JAAS config", Pattern.DOTALL);
  private static final String HIDDEN_LOGIN =
      "[hidden] in JAAS config; values with other than letters and digits need double quotes";

  private KafkaFailures() {}

  /** The client's own failure, without what futures wrap around it. */
  static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause != null
            && (failure instanceof CompletionException || failure instanceof ExecutionException)
        ? unwrapped(cause)
        : failure;
  }

  /** Whether the topic does not exist, as far as the brokers that answered know. */
  static boolean isUnknownTopic(Throwable failure) {
    return failure instanceof UnknownTopicOrPartitionException
        || failure.getCause() instanceof UnknownTopicOrPartitionException;
  }

  /**
   * Whether the failure says nothing about a record, but that no broker took it in time, or that the client
   * is closed: only time helps.
   */
  static boolean isOutage(Throwable failure) {
    return !isUnknownTopic(failure) && !isRefusal(failure);
  }

  /** Whether a broker answered that it will not, whatever time passes. */
  private static boolean isRefusal(Throwable failure) {
    return failure instanceof ApiException
        && !(failure instanceof RetriableException)
        && !(failure instanceof AuthenticationException);
  }

  /** What is recorded of a wakeup that was refused. Kafka's own name of the failure is in the meta. */
  static FailureRecord record(Throwable failure) {
    boolean outage = isOutage(failure);
    return new FailureRecord(
        outage ? ErrorCode.TRANSPORT_UNAVAILABLE : ErrorCode.TRANSPORT_PUBLISH_FAILED,
        outage ? "Kafka did not take it in time." : "Kafka refused it.",
        !isFinal(failure),
        JsonValues.object(Map.of("provider", "kafka", "providerCode", code(failure))));
  }

  /** Whether the same record will be refused every time. */
  static boolean isFinal(Throwable failure) {
    return failure instanceof RecordTooLargeException
        || failure instanceof InvalidTopicException
        || failure instanceof InvalidRecordException
        || failure instanceof PolicyViolationException;
  }

  /**
   * A failure of a whole call.
   *
   * @param brokers the addresses that were given
   */
  static RunlaneException outage(Throwable failure, String operation, String brokers) {
    return RunlaneException.unavailable(
            ErrorCode.TRANSPORT_UNAVAILABLE,
            failure,
            "%s: Kafka cannot be reached at %s (%s)%s",
            operation,
            brokers,
            code(failure),
            authentication(failure).map(refusal -> ": " + words(refusal)).orElse(""))
        .withMeta("providerCode", code(failure));
  }

  /** A failure while a client was made, which happens in this process: its properties, or the files they name. */
  static RunlaneException constructing(Throwable failure, String brokers) {
    if (failure instanceof RunlaneException ours) {
      return ours;
    }
    if (isOutOfReach(failure)) {
      return outage(failure, "starting", brokers);
    }
    RunlaneException refusal = RunlaneException.configurationInvalid(
        "Kafka's client refuses its properties: %s", words(failure));
    return causes(failure).anyMatch(KafkaFailures::quotesLogin)
        ? refusal
        : refusal.causedBy(failure);
  }

  /** Whether it quotes what it could not read of a login, which may be the rest of a password. */
  private static boolean quotesLogin(Throwable failure) {
    return QUOTED_LOGIN.matcher(String.valueOf(failure.getMessage())).find();
  }

  /** Whether somebody was waited for, and nobody said why. */
  static boolean isTimeout(Throwable failure) {
    return failure instanceof TimeoutException
        || failure instanceof java.util.concurrent.TimeoutException;
  }

  /** A failure while topics were looked at or made. */
  static RunlaneException starting(Throwable failure, String brokers) {
    if (failure instanceof RunlaneException ours) {
      return ours;
    }
    return isRefusal(failure)
        ? RunlaneException.configurationInvalid(
                "Kafka at %s refuses what starting needs: %s (%s)",
                brokers, words(failure), code(failure))
            .causedBy(failure)
        : outage(failure, "starting", brokers);
  }

  /**
   * Whether others were asked and did not answer: for an address, or for a token. Names that cannot be resolved are
   * reported as a configuration, but DNS may be the one that is down.
   */
  private static boolean isOutOfReach(Throwable failure) {
    return causes(failure)
        .anyMatch(each -> each instanceof SocketException
            || each instanceof SocketTimeoutException
            || each instanceof UnknownHostException
            || (each instanceof ConfigException
                && String.valueOf(each.getMessage()).contains("resolvable bootstrap")));
  }

  /** What the client says, which names properties and files and masks passwords. */
  private static String words(Throwable failure) {
    return causes(failure)
        .filter(each -> !String.valueOf(each.getCause()).equals(each.getMessage()))
        .map(
            each -> each.getMessage() == null ? each.getClass().getSimpleName() : each.getMessage())
        .map(words -> QUOTED_LOGIN.matcher(words).replaceAll(HIDDEN_LOGIN))
        .distinct()
        .collect(Collectors.joining(": "));
  }

  private static Stream<Throwable> causes(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MOST_CAUSES);
  }

  /**
   * Kafka's name of a failure: that of its exception, without the package. A wait that this process ended has the same
   * name as one that Kafka's client ended: which of the two clocks is first is chance.
   */
  static String code(Throwable failure) {
    if (failure instanceof java.util.concurrent.TimeoutException) {
      return TimeoutException.class.getSimpleName();
    }
    Throwable telling =
        failure.getCause() instanceof KafkaException cause && isUnknownTopic(failure)
            ? cause
            : authentication(failure).orElse(failure);
    return telling.getClass().getSimpleName();
  }

  /** Why a broker was not trusted, or did not let this process in; a producer wraps it once it refuses all records. */
  private static Optional<Throwable> authentication(Throwable failure) {
    return causes(failure).filter(AuthenticationException.class::isInstance).findFirst();
  }
}
