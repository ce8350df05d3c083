/** What is drawn for job stores, which are held to their model by it. */
@NullMarked
package dev.runlane.conformance.drawn.jobs;

import org.jspecify.annotations.NullMarked;
