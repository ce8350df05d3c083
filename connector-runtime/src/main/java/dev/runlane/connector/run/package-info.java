/**
 * One run of a connector, from START to its terminal event: drives a child, a sink and a timeline.
 *
 * <p>What a run becomes where the protocol leaves it open:
 *
 * <ul>
 *   <li>A child that does not exit after DONE is asked to leave and then killed. Its exit code is not 0, so a
 *       run that said succeeded fails with {@code exit_code_mismatch}.
 *   <li>A cancellation that is accepted before the terminal event wins, also over a DONE that said succeeded.
 *   <li>Of several things that go wrong the first one is reported.
 *   <li>Records that were valid before a violation are stored; after any other failure and after a
 *       cancellation those that were not sent yet are dropped and counted.
 *   <li>A stream that the sink does not know is skipped: its records are dropped, its cursor is not staged, the
 *       run continues.
 *   <li>A child that exits while a question waits ends the run at once.
 * </ul>
 */
@NullMarked
package dev.runlane.connector.run;

import org.jspecify.annotations.NullMarked;
