/**
 * JSON of runs: checked values from outside, the codec of an application's values, and the stored and public forms
 * of records and events.
 * Field names and strings never change; readers ignore fields they do not know.
 */
@NullMarked
package dev.runlane.json;

import org.jspecify.annotations.NullMarked;
