/**
 * One run of a connector in the foreground: what it stores, how it asks at the terminal and how it is
 * interrupted.
 */
@NullMarked
package dev.runlane.cli.run;

import org.jspecify.annotations.NullMarked;
