/**
 * What a body gets from START and what it sends: records, progress, gaps, questions and failures.
 */
@NullMarked
package dev.runlane.connectorkit.message;

import org.jspecify.annotations.NullMarked;
