package dev.runlane.telemetry.traces;

import io.opentelemetry.api.common.AttributeKey;

/** Attributes of spans: those of OpenTelemetry's conventions for messaging where there is one that fits. */
final class SpanNames {
  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  static final AttributeKey<String> QUEUE = AttributeKey.stringKey("messaging.destination.name");
  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
  static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  static final AttributeKey<String> ID = AttributeKey.stringKey("messaging.message.id");
  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  static final AttributeKey<String> TASK = AttributeKey.stringKey("runlane.task");
  static final AttributeKey<String> JOB = AttributeKey.stringKey("runlane.job");
  static final AttributeKey<Long> BATCH = AttributeKey.longKey("messaging.batch.message_count");
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("runlane.attempt");
  static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("runlane.outcome");
  static final AttributeKey<String> STEP = AttributeKey.stringKey("runlane.step");
  static final AttributeKey<String> GROUP = AttributeKey.stringKey("runlane.group");
  static final AttributeKey<Long> TRIES = AttributeKey.longKey("runlane.tries");

  private SpanNames() {}
}
