/**
 * API: workers and deliveries: who claims runs, for how many slots, and how they drain; the verticles around
 * them.
 */
@NullMarked
package dev.runlane.runtime.worker;

import org.jspecify.annotations.NullMarked;
