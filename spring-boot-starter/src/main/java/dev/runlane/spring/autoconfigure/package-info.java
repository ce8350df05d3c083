/** Internal: what Spring Boot configures by itself. Arrows go from here to the package above. */
@NullMarked
package dev.runlane.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
