/**
 * What a connector declares about itself and its streams.
 */
@NullMarked
package dev.runlane.connector.protocol.manifest;

import org.jspecify.annotations.NullMarked;
