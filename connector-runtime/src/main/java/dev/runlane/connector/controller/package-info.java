/**
 * What an owner does with connectors: which there are, running one now, cancelling it, answering its questions, and
 * what a restarted controller makes of the runs of its predecessor.
 */
@NullMarked
package dev.runlane.connector.controller;

import org.jspecify.annotations.NullMarked;
