/**
 * What a storage promises: durable truth and every decision between competing callers. A storage keeps
 * the events and the projection it is given together, in one atomic step, and never computes a
 * projection itself.
 */
@NullMarked
package dev.runlane.storage;

import org.jspecify.annotations.NullMarked;
