package dev.runlane.jobs.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OfQueuesTest {
  private final OfQueues<Object> kept = new OfQueues<>(Object::new);

  @Test
  void each_queue_has_its_own() {
    Object ofMail = kept.get("mail");

    assertThat(kept.get("mail")).isSameAs(ofMail);
    assertThat(kept.get("sms")).isNotSameAs(ofMail);
  }

  @Test
  void of_too_many_queues_those_that_were_used_last_keep_theirs() {
    Object first = kept.get("queue_0");
    Object second = kept.get("queue_1");
    for (int queue = 2; queue < OfQueues.MOST; queue++) {
      kept.get("queue_" + queue);
    }
    assertThat(kept.get("queue_0")).isSameAs(first);

    kept.get("one more");

    assertThat(kept.get("queue_0")).isSameAs(first);
    assertThat(kept.get("queue_1")).isNotSameAs(second);
  }
}
