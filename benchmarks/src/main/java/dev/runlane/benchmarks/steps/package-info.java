/** Remote steps: how fast a worker works a backlog off, and how soon a run goes on. */
@NullMarked
package dev.runlane.benchmarks.steps;

import org.jspecify.annotations.NullMarked;
