/** A lane that is safe in production: runs in Postgres, wakeups over Kafka. */
@NullMarked
package dev.runlane.lane.pgkafka;

import org.jspecify.annotations.NullMarked;
