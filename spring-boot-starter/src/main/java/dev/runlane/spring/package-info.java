/**
 * Runlane in a Spring Boot application: {@link dev.runlane.spring.RunlaneTask} methods, {@link
 * dev.runlane.spring.RunlaneTriggers} and {@link dev.runlane.spring.RunlaneProperties}.
 */
@NullMarked
package dev.runlane.spring;

import org.jspecify.annotations.NullMarked;
