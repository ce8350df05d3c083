/**
 * Processes of the machine: what runs where, read from {@code /proc}, and signals to whole trees.
 */
@NullMarked
package dev.runlane.connector.process.os;

import org.jspecify.annotations.NullMarked;
