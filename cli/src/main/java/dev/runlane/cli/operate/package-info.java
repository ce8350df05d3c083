/** What an operator can do, whoever does it: in the database itself, or through the API of a console. */
@NullMarked
package dev.runlane.cli.operate;

import org.jspecify.annotations.NullMarked;
