/** Migrations, changes of a schema beside those who work on it, and what a role may see. */
@NullMarked
package dev.runlane.postgres.schema;

import org.jspecify.annotations.NullMarked;
