/**
 * The stored and public JSON of runs, events and jobs; field names and strings never change, and readers
 * ignore fields they do not know.
 */
@NullMarked
package dev.runlane.json.record;

import org.jspecify.annotations.NullMarked;
