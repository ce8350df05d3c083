package dev.runlane.jobs.queue.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class JobEventBusTest {
  private static final JobEvent DRAINED = JobEvent.of(JobEvent.Type.DRAINED, "mail");

  private final JobEventBus bus = new JobEventBus();
  private final List<String> heard = new ArrayList<>();

  @Test
  void listeners_run_in_the_order_they_were_added() {
    bus.on(JobEvent.Type.DRAINED, event -> heard.add("first"))
        .on(JobEvent.Type.DRAINED, event -> heard.add("second"));

    bus.emit(DRAINED);

    assertThat(heard).containsExactly("first", "second");
  }

  @Test
  void a_listener_hears_its_type_only() {
    bus.on(JobEvent.Type.PAUSED, event -> heard.add("paused"));

    bus.emit(DRAINED);

    assertThat(heard).isEmpty();
  }

  @Test
  void the_same_listener_twice_counts_once_until_it_is_taken_back() {
    Consumer<JobEvent> listener = event -> heard.add("once");
    bus.on(JobEvent.Type.DRAINED, listener).on(JobEvent.Type.DRAINED, listener);
    bus.emit(DRAINED);
    bus.off(JobEvent.Type.DRAINED, listener);
    bus.emit(DRAINED);

    assertThat(heard).containsExactly("once");
  }

  @Test
  void what_a_listener_throws_is_an_error_event_and_stops_no_other() {
    IllegalStateException thrown = new IllegalStateException("no");
    bus.on(JobEvent.Type.ERROR, event -> heard.add(String.valueOf(event.error().orElseThrow())))
        .on(JobEvent.Type.DRAINED, event -> {
          throw thrown;
        })
        .on(JobEvent.Type.DRAINED, event -> heard.add("second"));

    bus.emit(DRAINED);

    assertThat(heard).containsExactly(thrown.toString(), "second");
  }

  @Test
  void whatever_a_listener_throws_the_one_who_emits_goes_on() {
    for (Throwable thrown :
        List.of(new IOException("checked, as of Kotlin"), new OutOfMemoryError("of a test"))) {
      bus.on(JobEvent.Type.DRAINED, event -> JobEventBusTest.<RuntimeException>sneak(thrown));
    }
    bus.on(JobEvent.Type.ERROR, event -> {
          heard.add(event.error().orElseThrow().getMessage());
          JobEventBusTest.<RuntimeException>sneak(new Error("again"));
        })
        .on(JobEvent.Type.DRAINED, event -> heard.add("last"));

    bus.emit(DRAINED);

    assertThat(heard).containsExactly("checked, as of Kotlin", "of a test", "last");
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void an_error_listener_that_throws_does_not_go_round() {
    bus.on(JobEvent.Type.ERROR, event -> {
          heard.add("error");
          throw new IllegalStateException("again");
        })
        .on(JobEvent.Type.DRAINED, event -> {
          throw new IllegalStateException("no");
        });

    bus.emit(DRAINED);

    assertThat(heard).containsExactly("error");
  }

  @Test
  void removed_listeners_hear_nothing() {
    bus.on(JobEvent.Type.DRAINED, event -> heard.add("drained"))
        .on(JobEvent.Type.PAUSED, event -> heard.add("paused"))
        .removeAllListeners(JobEvent.Type.DRAINED);
    bus.emit(DRAINED);
    bus.emit(JobEvent.of(JobEvent.Type.PAUSED, "mail"));
    bus.removeAllListeners();
    bus.emit(JobEvent.of(JobEvent.Type.PAUSED, "mail"));

    assertThat(heard).containsExactly("paused");
  }
}
