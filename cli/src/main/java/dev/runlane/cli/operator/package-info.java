/** The commands of operators: their options, and how their answers are shown. */
@NullMarked
package dev.runlane.cli.operator;

import org.jspecify.annotations.NullMarked;
