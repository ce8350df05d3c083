/** What is drawn for storages and what they keep for operators; both are held to their model by it. */
@NullMarked
package dev.runlane.conformance.drawn.storage;

import org.jspecify.annotations.NullMarked;
