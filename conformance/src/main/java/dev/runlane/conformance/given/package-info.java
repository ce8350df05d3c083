/**
 * Runs, events and commands that cases begin with, and readings of all that a storage holds.
 */
@NullMarked
package dev.runlane.conformance.given;

import org.jspecify.annotations.NullMarked;
