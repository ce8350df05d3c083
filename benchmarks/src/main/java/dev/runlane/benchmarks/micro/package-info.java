/** What single pieces on the hot path cost, by JMH. */
@NullMarked
package dev.runlane.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
