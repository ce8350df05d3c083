/** The contract of job stores as a model: plain code that answers every command as the contract says. */
@NullMarked
package dev.runlane.conformance.model.jobs;

import org.jspecify.annotations.NullMarked;
