package dev.runlane.conformance.kit;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Names of cases in reports: the ids of the rules, then the method's name as a sentence. */
public final class RuleNames extends DisplayNameGenerator.ReplaceUnderscores {
  @Override
  public String generateDisplayNameForMethod(
      List<Class<?>> enclosingInstanceTypes, Class<?> testClass, Method testMethod) {
    String sentence =
        super.generateDisplayNameForMethod(enclosingInstanceTypes, testClass, testMethod);
    Rule rule = testMethod.getAnnotation(Rule.class);
    return rule == null ? sentence : String.join(" ", rule.value()) + " " + sentence;
  }
}
