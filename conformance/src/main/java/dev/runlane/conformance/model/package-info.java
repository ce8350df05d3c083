/** The storage contract as a model: plain code that answers every command as the contract says. */
@NullMarked
package dev.runlane.conformance.model;

import org.jspecify.annotations.NullMarked;
