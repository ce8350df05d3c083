/** What an operator can do, whoever does it: here, in the database itself. */
@NullMarked
package dev.runlane.cli.operate;

import org.jspecify.annotations.NullMarked;
