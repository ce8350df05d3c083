/**
 * What is given on the command line, checked before anything begins.
 */
@NullMarked
package dev.runlane.cli.option;

import org.jspecify.annotations.NullMarked;
