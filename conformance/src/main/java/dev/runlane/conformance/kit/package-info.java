/**
 * What every case stands on: the suite's base class, a Vert.x for each case, races, failures and values to
 * compare. Adapters that make fewer promises extend {@code ConformanceSuite}; the rest is for cases.
 */
@NullMarked
package dev.runlane.conformance.kit;

import org.jspecify.annotations.NullMarked;
