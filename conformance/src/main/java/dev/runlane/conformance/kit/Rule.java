package dev.runlane.conformance.kit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The rules of the contract that a case holds an adapter to. They lead the case's name in reports. */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Rule {
  /** Ids such as {@code S01}, as the README lists them. */
  String[] value();
}
