package dev.runlane.conformance.model;

import dev.runlane.storage.read.GetRun;

/** A look at the messages of a run. */
public record LookAtOutbox(GetRun query) {}
