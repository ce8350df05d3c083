/**
 * What a connector and its runtime say to each other, and the checks that what a connector says passes
 * before it has any effect. No I/O, no clock, no threads.
 *
 * <p>Where the protocol leaves a choice, it is made here:
 *
 * <ul>
 *   <li>A line is one JSON object in strict UTF-8. Text that is not UTF-8, a name that occurs twice in one
 *       object, nesting deeper than {@link dev.runlane.connector.protocol.ReaderLimits#maxDepth()} and more
 *       values than {@link dev.runlane.connector.protocol.ReaderLimits#maxTokens()} are all {@code
 *       invalid_json}: a check must see the value that is stored, and memory must stay bounded.
 *   <li>An optional member that is null counts as absent. Members nobody knows are passed over.
 *   <li>What a connector declares is checked by name and range, never by the types of its schema.
 * </ul>
 */
@NullMarked
package dev.runlane.connector.protocol;

import org.jspecify.annotations.NullMarked;
