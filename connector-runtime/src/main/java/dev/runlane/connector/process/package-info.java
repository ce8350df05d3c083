/**
 * Child processes that speak lines: started in a process group of their own, read with back-pressure, bounded
 * in everything they send, and ended with all their descendants. Linux only: what runs where is read from
 * {@code /proc}.
 */
@NullMarked
package dev.runlane.connector.process;

import org.jspecify.annotations.NullMarked;
