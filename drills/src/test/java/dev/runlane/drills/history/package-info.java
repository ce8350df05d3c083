/**
 * What drills look for beside the checker of histories: topics and their consumers, and how long a fault was felt.
 */
@NullMarked
package dev.runlane.drills.history;

import org.jspecify.annotations.NullMarked;
