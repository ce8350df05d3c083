package com.example.spring;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.spring.RunlaneTriggers;
import dev.runlane.spring.test.RunlaneTest;
import dev.runlane.testing.RunlaneTesting;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

@RunlaneTest
@Import(Reminders.class)
class RemindersTest {
  @Autowired
  private RunlaneTesting runlane;

  @Autowired
  private RunlaneTriggers triggers;

  @Test
  void a_reminder_is_sent_again_when_the_mail_server_is_back() {
    String run = triggers.trigger("reminders.send", new Order("o-1", 500)).runId();

    runlane.runUntilIdle();

    assertThat(runlane.run(run)).succeeded().afterAttempts(2);
  }
}
