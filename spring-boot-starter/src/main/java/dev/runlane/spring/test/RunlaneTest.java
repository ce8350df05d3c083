package dev.runlane.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of tasks in virtual time: a context with the runtime in memory and nothing else of the application but what
 * the test imports, such as {@code @Import(Orders.class)}, the bean with {@code @RunlaneTask} methods. {@link
 * dev.runlane.testing.RunlaneTesting} is a bean, and {@link dev.runlane.spring.RunlaneTriggers} trigger in it. The
 * context is made anew for each test method.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SpringExtension.class)
@BootstrapWith(RunlaneTestContextBootstrapper.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(NothingScanned.class)
@ImportAutoConfiguration(RunlaneTestConfiguration.class)
@EnableConfigurationProperties
@DirtiesContext(classMode = DirtiesContext.ClassMode.BEFORE_EACH_TEST_METHOD)
public @interface RunlaneTest {
  /** Properties for the context, {@code name=value}. */
  String[] properties() default {};
}
