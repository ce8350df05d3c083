/** The edge between Runlane and the adapters it is given, which may have been written by anybody. */
@NullMarked
package dev.runlane.adapter;

import org.jspecify.annotations.NullMarked;
