/** The commands that start a program of the user: its workers, one pass, the API beside it, all for development. */
@NullMarked
package dev.runlane.cli.application;

import org.jspecify.annotations.NullMarked;
