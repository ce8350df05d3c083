/**
 * What a step transport promises to engines and workers.
 */
@NullMarked
package dev.runlane.conformance.steps;

import org.jspecify.annotations.NullMarked;
