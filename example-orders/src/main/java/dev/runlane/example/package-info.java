/** An order pipeline that shows what Runlane does, as one program on a Postgres of its own. */
@NullMarked
package dev.runlane.example;

import org.jspecify.annotations.NullMarked;
