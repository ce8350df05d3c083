/** What goes wrong, where, and when: the list that a seed makes and that a failing one is shrunk to. */
@NullMarked
package dev.runlane.simulation.fault;

import org.jspecify.annotations.NullMarked;
