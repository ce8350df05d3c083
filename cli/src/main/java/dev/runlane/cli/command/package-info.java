/** What all commands of operators have: the database, pages, who acts, answers as JSON, how they end. */
@NullMarked
package dev.runlane.cli.command;

import org.jspecify.annotations.NullMarked;
