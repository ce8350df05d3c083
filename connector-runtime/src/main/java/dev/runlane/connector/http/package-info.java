/** The owner's HTTP routes below {@code /_ref}, as a sub-router for whoever opens the server. */
@NullMarked
package dev.runlane.connector.http;

import org.jspecify.annotations.NullMarked;
