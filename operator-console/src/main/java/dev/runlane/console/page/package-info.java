/**
 * Internal: the web console: its pages, served from the jar to browsers, which ask the API for all that they show.
 */
@NullMarked
package dev.runlane.console.page;

import org.jspecify.annotations.NullMarked;
