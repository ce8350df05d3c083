/**
 * One job, from being added to its end and its removal.
 */
@NullMarked
package dev.runlane.conformance.jobs.life;

import org.jspecify.annotations.NullMarked;
