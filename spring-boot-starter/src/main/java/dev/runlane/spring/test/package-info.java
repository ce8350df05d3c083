/** Tests of tasks in a Spring context without a database, in virtual time. */
@NullMarked
package dev.runlane.spring.test;

import org.jspecify.annotations.NullMarked;
