/**
 * What the command writes while a run goes on and at its end, as text or JSON.
 */
@NullMarked
package dev.runlane.cli.report;

import org.jspecify.annotations.NullMarked;
