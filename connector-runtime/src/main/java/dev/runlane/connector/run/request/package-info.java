/**
 * What a run is asked to do, its options, who observes it and what it answers.
 */
@NullMarked
package dev.runlane.connector.run.request;

import org.jspecify.annotations.NullMarked;
