/** API: suites that run inside a test against adapters that break one sentence of the contract, and must fail. */
@NullMarked
package dev.runlane.conformance.broken;

import org.jspecify.annotations.NullMarked;
