package dev.runlane.connector.controller;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** The owner, over HTTP. */
record OwnerClient(int port, HttpClient http) {
  OwnerClient(int port) {
    this(port, HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
  }

  /** An answer. */
  record Answer(int status, JsonObject body) {
    String code() {
      return body.getJsonObject("error").getString("code");
    }

    JsonObject error() {
      return body.getJsonObject("error");
    }
  }

  Answer get(String path) {
    return send(request(path).GET().build());
  }

  Answer post(String path) {
    return post(path, "");
  }

  Answer post(String path, String body) {
    return send(request(path).POST(BodyPublishers.ofString(body)).build());
  }

  Answer put(String path, String body) {
    return send(request(path).PUT(BodyPublishers.ofString(body)).build());
  }

  Answer delete(String path) {
    return send(request(path).DELETE().build());
  }

  /** Starts a run and answers its id. */
  String run(String connectorId) {
    Answer answer = post("/_ref/connectors/" + connectorId + "/run");
    if (answer.status() != 202) {
      throw new AssertionError("run was answered " + answer);
    }
    return answer.body().getString("run_id");
  }

  /** The handle once it is as wanted. */
  JsonObject awaitRun(String runId, Predicate<JsonObject> wanted) {
    return awaitBody("/_ref/runs/" + runId, wanted);
  }

  /** The handle once the run has ended. */
  JsonObject ended(String runId) {
    return awaitRun(runId, run -> !run.getString("status").equals("active"));
  }

  /** The timeline once it tells of the event. */
  JsonArray awaitEvent(String runId, String type) {
    return awaitBody(
            "/_ref/runs/" + runId + "/timeline",
            timeline -> events(timeline.getJsonArray("data")).contains(type))
        .getJsonArray("data");
  }

  JsonArray timeline(String runId) {
    return get("/_ref/runs/" + runId + "/timeline").body().getJsonArray("data");
  }

  static List<String> events(JsonArray timeline) {
    return timeline.stream()
        .map(event -> ((JsonObject) event).getString("event_type"))
        .toList();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .header("authorization", "Bearer " + OwnerHost.TOKEN);
  }

  Answer send(HttpRequest request) {
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      return new Answer(
          response.statusCode(),
          response.body().isEmpty() ? new JsonObject() : new JsonObject(response.body()));
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What the path answers once it is as wanted. */
  JsonObject awaitBody(String path, Predicate<JsonObject> wanted) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    Answer answer = get(path);
    while (answer.status() != 200 || !wanted.test(answer.body())) {
      if (System.nanoTime() > end) {
        throw new AssertionError("still " + answer);
      }
      LockSupport.parkNanos(20_000_000);
      answer = get(path);
    }
    return answer.body();
  }
}
