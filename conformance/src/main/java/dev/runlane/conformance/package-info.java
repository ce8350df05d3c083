/**
 * The suites that every storage, transport and lane is held to. An adapter extends one class per suite
 * and says how a fresh adapter is opened; every case's name is a sentence of the contract.
 */
@NullMarked
package dev.runlane.conformance;

import org.jspecify.annotations.NullMarked;
