package com.example.spring;

import dev.runlane.spring.RunlaneTask;
import dev.runlane.spring.RunlaneTriggers;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {
  private final JdbcClient database;
  private final RunlaneTriggers triggers;

  public Orders(JdbcClient database, RunlaneTriggers triggers) {
    this.database = database;
    this.triggers = triggers;
  }

  @Transactional // the order and the run that charges it, or neither
  public String place(Order order) {
    database
        .sql("INSERT INTO orders VALUES (?, ?, false)")
        .params(order.id(), order.cents())
        .update();
    return triggers.trigger("orders.charge", order).runId();
  }

  @RunlaneTask(value = "orders.charge", attempts = 5)
  @Transactional
  public void charge(Order order) {
    database
        .sql("UPDATE orders SET charged = true WHERE id = ?")
        .param(order.id())
        .update();
  }
}
