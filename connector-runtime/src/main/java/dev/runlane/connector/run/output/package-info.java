/**
 * What the child says and is answered: messages one after the other, questions, silence and the end of its
 * output. Internal: not for applications.
 */
@NullMarked
package dev.runlane.connector.run.output;

import org.jspecify.annotations.NullMarked;
