/** Runlane with RxJava 3: {@link dev.runlane.rxjava3.RunlaneRx}. */
@NullMarked
package dev.runlane.rxjava3;

import org.jspecify.annotations.NullMarked;
