/**
 * The life of a job in rows: saved, handed out, finished alone or with its flow, changed in bulk. Internal:
 * not for applications.
 */
@NullMarked
package dev.runlane.jobs.postgres.life;

import org.jspecify.annotations.NullMarked;
