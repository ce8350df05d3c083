/**
 * Commands that are started together: their answers, and what is stored afterwards, are those of some order of them in
 * the model.
 */
@NullMarked
package dev.runlane.conformance.race;

import org.jspecify.annotations.NullMarked;
