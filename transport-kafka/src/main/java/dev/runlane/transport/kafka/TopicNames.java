package dev.runlane.transport.kafka;

import dev.runlane.run.RunlaneException;
import java.util.regex.Pattern;

/**
 * The names Kafka takes for topics and groups
 * (<a href="https://kafka.apache.org/documentation/#topicconfigs">Kafka documentation</a>).
 */
final class TopicNames {
  /** Most characters of a topic's name. */
  static final int MOST_CHARACTERS = 249;

  private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]+");

  private TopicNames() {}

  /** Throws {@code ConfigurationInvalid} unless Kafka takes {@code topic} as a topic's name. */
  static String require(String what, String topic) {
    if (topic.length() > MOST_CHARACTERS
        || !LEGAL.matcher(topic).matches()
        || topic.equals(".")
        || topic.equals("..")) {
      throw RunlaneException.configurationInvalid(
          "%s must be 1 to %d ASCII letters, digits, '.', '_' or '-', and not '.' or '..', but is '%s'",
          what, MOST_CHARACTERS, topic);
    }
    return topic;
  }
}
