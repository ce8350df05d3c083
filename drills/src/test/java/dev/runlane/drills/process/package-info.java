/**
 * Programs in processes of their own, their output, and the database beside them.
 */
@NullMarked
package dev.runlane.drills.process;

import org.jspecify.annotations.NullMarked;
