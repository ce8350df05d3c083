package com.example.spring;

public record Order(String id, long cents) {}
