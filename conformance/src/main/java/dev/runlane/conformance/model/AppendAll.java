package dev.runlane.conformance.model;

import dev.runlane.storage.run.AppendRunEvents;
import java.util.List;

/** A batch of appends. */
public record AppendAll(List<AppendRunEvents> commands) {}
