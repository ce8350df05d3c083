/**
 * A process that dies at a chosen statement: the line to Postgres that counts them.
 */
@NullMarked
package dev.runlane.drills.crash;

import org.jspecify.annotations.NullMarked;
