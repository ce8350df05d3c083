package dev.runlane.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.Task;
import dev.runlane.spring.RunlaneTask;
import io.reactivex.rxjava3.core.Single;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Methods that are no tasks. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TaskMethodsTest {
  @ParameterizedTest
  @ValueSource(
      classes = {
        Later.class,
        Reactive.class,
        Suspending.class,
        Many.class,
        Hidden.class,
        OfMany.class,
        OfSomeType.class,
        ArrayOfMany.class
      })
  void what_can_be_no_task_fails_the_start(Class<?> bean) {
    RunlaneException failure = catchThrowableOfType(RunlaneException.class, () -> tasks(bean));

    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(failure).hasMessageContaining("mails.send");
  }

  @Test
  void a_payload_of_a_generic_base_has_the_type_that_the_bean_gives_it() {
    assertThat(tasks(OfOneType.class))
        .singleElement()
        .satisfies(task -> assertThat(task.payloadType()).isEqualTo(Mail.class));
  }

  @Test
  void a_generic_payload_that_json_is_read_back_as_is_accepted() {
    assertThat(tasks(OfTexts.class)).hasSize(1);
  }

  private static List<Task<?>> tasks(Class<?> bean) {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    beans.registerBeanDefinition("bean", new RootBeanDefinition(bean));
    return new TaskMethods(beans, Map.of()).tasks();
  }

  static class Later {
    @RunlaneTask("mails.send")
    CompletionStage<String> send(String address) {
      return CompletableFuture.completedFuture(address);
    }
  }

  static class Reactive {
    @RunlaneTask("mails.send")
    Single<String> send(String address) {
      return Single.just(address);
    }
  }

  static class Suspending {
    @RunlaneTask("mails.send")
    Object send(Continuation<? super String> continuation) {
      return continuation;
    }
  }

  static class Hidden {
    @RunlaneTask("mails.send")
    @SuppressWarnings("unused") // by the compiler's eyes
    private void send(String address) {}
  }

  static class OfMany {
    @RunlaneTask("mails.send")
    void send(List<Mail> mails) {}
  }

  abstract static class Base<T> {
    @RunlaneTask("mails.send")
    void send(T mail) {}
  }

  static class OfSomeType extends Base<List<Mail>> {}

  static class OfOneType extends Base<Mail> {}

  static class ArrayOfMany {
    @RunlaneTask("mails.send")
    void send(Map<String, List<Mail>>[] mails) {}
  }

  static class OfTexts {
    @RunlaneTask("mails.send")
    void send(Map<String, List<String>> mails) {}
  }

  record Mail(String address) {}

  static class Many {
    @RunlaneTask("mails.send")
    void send(String address, String text) {}
  }
}
