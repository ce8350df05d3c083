/**
 * Controllers of connectors that die between any two statements.
 */
@NullMarked
package dev.runlane.drills.connector;

import org.jspecify.annotations.NullMarked;
