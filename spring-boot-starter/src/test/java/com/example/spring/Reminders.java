package com.example.spring;

import dev.runlane.spring.RunlaneTask;
import org.springframework.stereotype.Service;

@Service
public class Reminders {
  private int sent;

  @RunlaneTask(value = "reminders.send", attempts = 3)
  public String send(Order order) {
    if (++sent == 1) {
      throw new IllegalStateException("the mail server is away");
    }
    return "sent " + order.id();
  }
}
