/** Controller, scheduler and routes put together: one object for an application that runs connectors. */
@NullMarked
package dev.runlane.connector.server;

import org.jspecify.annotations.NullMarked;
