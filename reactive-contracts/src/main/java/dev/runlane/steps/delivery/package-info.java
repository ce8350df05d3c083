/**
 * How results reach an engine: one role claims them, hands them to a receiver and settles what the receiver
 * decided.
 */
@NullMarked
package dev.runlane.steps.delivery;

import org.jspecify.annotations.NullMarked;
