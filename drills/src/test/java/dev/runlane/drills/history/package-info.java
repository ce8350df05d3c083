/**
 * The rules that every stored history must obey, whatever was broken.
 */
@NullMarked
package dev.runlane.drills.history;

import org.jspecify.annotations.NullMarked;
