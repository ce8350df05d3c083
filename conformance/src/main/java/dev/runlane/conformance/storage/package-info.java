/**
 * The base of every promise of a storage: a started adapter on fresh state for each case.
 */
@NullMarked
package dev.runlane.conformance.storage;

import org.jspecify.annotations.NullMarked;
