package dev.runlane.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.spring.RunlaneTask;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Methods that are no tasks. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TaskMethodsTest {
  @ParameterizedTest
  @ValueSource(classes = {Later.class, Many.class})
  void what_can_be_no_task_fails_the_start(Class<?> bean) {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    beans.registerBeanDefinition("bean", new RootBeanDefinition(bean));

    RunlaneException failure = catchThrowableOfType(
        RunlaneException.class, () -> new TaskMethods(beans, Map.of()).tasks());

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure).hasMessageContaining("mails.send");
  }

  static class Later {
    @RunlaneTask("mails.send")
    CompletionStage<String> send(String address) {
      return CompletableFuture.completedFuture(address);
    }
  }

  static class Many {
    @RunlaneTask("mails.send")
    void send(String address, String text) {}
  }
}
