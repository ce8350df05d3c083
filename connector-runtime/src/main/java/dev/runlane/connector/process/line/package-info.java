/**
 * Lines of a child, read with back-pressure, and what it is sent.
 */
@NullMarked
package dev.runlane.connector.process.line;

import org.jspecify.annotations.NullMarked;
