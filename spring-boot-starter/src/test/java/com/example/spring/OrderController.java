package com.example.spring;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class OrderController {
  private final Orders orders;
  private final JdbcClient database;

  public OrderController(Orders orders, JdbcClient database) {
    this.orders = orders;
    this.database = database;
  }

  @PostMapping("/orders")
  public String place(@RequestBody Order order) {
    return orders.place(order);
  }

  @GetMapping("/orders/{id}")
  public boolean isCharged(@PathVariable String id) {
    return database
        .sql("SELECT charged FROM orders WHERE id = ?")
        .param(id)
        .query(Boolean.class)
        .single();
  }
}
