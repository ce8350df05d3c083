package dev.runlane.conformance.jobs.view;

import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Jobs are searched by what is known about them. */
@DisplayName("jobs are searched by what is known about them")
public abstract class JobSearchConformance extends JobStoreConformance {
  @Test
  @Rule("J092")
  void a_part_of_the_name_in_any_case_is_enough() {
    saveAll(job("SendMail"), job("charge"));

    assertThat(names(byName("mail"))).containsExactly("SendMail");
    assertThat(names(byName("NDMA"))).containsExactly("SendMail");
  }

  @Test
  @Rule("J093")
  void no_match_is_an_empty_list() {
    save(job("SendMail"));

    assertThat(byName("charge")).isEmpty();
    assertThat(byName("send")).hasSize(1);
  }

  @Test
  @Rule("J094")
  void a_search_by_name_may_be_of_one_queue() {
    save(job("a"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("a"), NOON));

    assertThat(Outcomes.done(store.searchByName("a", Optional.of(OTHER_QUEUE), 50)))
        .extracting(JobData::queueName)
        .containsExactly(OTHER_QUEUE);
    assertThat(byName("a")).hasSize(2);
  }

  @Test
  @Rule("J095")
  void signs_of_patterns_stand_for_themselves() {
    saveAll(job("a_b"), job("axb"), job("100%"), job("1000"), job("c\\d"));

    assertThat(names(byName("a_b"))).containsExactly("a_b");
    assertThat(names(byName("0%"))).containsExactly("100%");
    assertThat(names(byName("\\"))).containsExactly("c\\d");
  }

  @Test
  @Rule("J096")
  void a_limit_keeps_the_newest() {
    made("a1", 1);
    made("a2", 2);
    made("a3", 3);

    assertThat(names(Outcomes.done(store.searchByName("a", Optional.empty(), 2))))
        .containsExactly("a3", "a2");
  }

  @Test
  @Rule("J097")
  void the_newest_come_first() {
    made("a2", 2);
    made("a1", 1);
    made("a3", 3);

    assertThat(names(byName("a"))).containsExactly("a3", "a2", "a1");
  }

  @Test
  @Rule("J098")
  void without_a_filter_all_are_found() {
    made("a", 1);
    made("b", 2);
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("c"), NOON));

    JobPage page = search(SearchJobsFilter.ALL);

    assertThat(names(page.jobs())).containsExactly("b", "a", "c");
    assertThat(page.total()).isEqualTo(3);
  }

  @Test
  @Rule("J099")
  void jobs_are_filtered_by_name() {
    saveAll(job("SendMail"), job("charge"));

    assertFound(filter(null, List.of(), "MAIL"), "SendMail");
  }

  @Test
  @Rule("J100")
  void jobs_are_filtered_by_queue() {
    save(job("here"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("there"), NOON));

    assertFound(filter(OTHER_QUEUE, List.of(), null), "there");
  }

  @Test
  @Rule("J101")
  void jobs_are_filtered_by_state() {
    made("a", 1);
    save(delayed("b", 5_000));
    ended(job("c", JobOptions.builder().priority(-1).build()), DONE, after(10));

    assertFound(filter(null, List.of(JobState.DELAYED), null), "b");
    assertFound(filter(null, List.of(JobState.COMPLETED, JobState.WAITING), null), "a", "c");
  }

  @Test
  @Rule("J102")
  void jobs_are_filtered_by_their_creation() {
    made("a", 1);
    made("b", 2);
    made("c", 3);

    assertFound(new SearchJobsFilter(null, List.of(), null, after(2), null), "c", "b");
    assertFound(new SearchJobsFilter(null, List.of(), null, null, after(2)), "b", "a");
    assertFound(new SearchJobsFilter(null, List.of(), null, after(2), after(2)), "b");
  }

  @Test
  @Rule("J103")
  void all_filters_must_fit() {
    saveAll(job("a"), job("b"));
    Outcomes.done(store.saveJob(OTHER_QUEUE, job("a"), NOON));

    JobPage page = search(filter(QUEUE, List.of(), "a"));

    assertThat(page.jobs()).hasSize(1);
    assertThat(page.jobs().get(0).queueName()).isEqualTo(QUEUE);
  }

  @Test
  @Rule("J104")
  void what_is_found_comes_page_by_page() {
    for (int i = 1; i <= 5; i++) {
      made("a" + i, i);
    }

    JobPage first = Outcomes.done(store.searchJobs(SearchJobsFilter.ALL, 0, 2));
    JobPage second = Outcomes.done(store.searchJobs(SearchJobsFilter.ALL, 2, 4));

    assertThat(names(first.jobs())).containsExactly("a5", "a4");
    assertThat(names(second.jobs())).containsExactly("a3", "a2");
    assertThat(first.total()).isEqualTo(5);
    assertThat(second.total()).isEqualTo(5);
  }

  @Test
  @Rule("J104")
  void summaries_are_the_jobs_that_are_found_without_what_may_be_large() {
    JobOptions dying = JobOptions.builder().deadLetterQueue(OTHER_QUEUE).build();
    String failed = save(NewJob.of("failed", Json.ofChecked("{\"mail\":\"ann\"}"), dying, NOON));
    String reason = "\"no\" 🙈".repeat(200);
    Outcomes.done(store.failJob(QUEUE, failed, reason, after(1)));
    save(job("short").parentOf(List.of("child")));
    made("done", 5);
    ended(job("returned", JobOptions.builder().priority(-1).build()), DONE, after(10));

    JobPage whole = Outcomes.done(store.searchJobs(SearchJobsFilter.ALL, 0, 10));
    JobPage page = Outcomes.done(store.searchSummaries(SearchJobsFilter.ALL, 0, 10));
    JobPage second = Outcomes.done(store.searchSummaries(SearchJobsFilter.ALL, 1, 3));

    String cut = "\"no\" 🙈".repeat(166) + "\"no\"";
    assertThat(cut.codePointCount(0, cut.length())).isEqualTo(JobStore.SUMMARY_CHARACTERS);
    assertThat(whole.jobs()).hasSize(5).anyMatch(job -> !job.childrenIds().isEmpty());
    assertThat(page)
        .isEqualTo(new JobPage(
            whole.jobs().stream()
                .map(job -> {
                  JobData.Builder summary = job.toBuilder()
                      .data(Json.ofChecked("null"))
                      .returnvalue(null)
                      .childrenIds(List.of());
                  DeadLetter letter = job.deadLetter();
                  return (letter == null
                          ? summary.failedReason(job.failedReason() == null ? null : cut)
                          : summary.deadLetter(new DeadLetter(
                              letter.queueName(),
                              letter.jobId(),
                              cut,
                              letter.failedAt(),
                              letter.options())))
                      .build();
                })
                .toList(),
            5));
    assertThat(second.jobs()).isEqualTo(page.jobs().subList(1, 3));
    assertFails(store.searchSummaries(SearchJobsFilter.ALL, 3, 2), ErrorCode.VALIDATION_FAILED);
  }

  @Test
  @Rule("J305")
  void a_part_of_the_payload_in_any_case_is_enough() {
    save(NewJob.of("a", Json.ofChecked("{\"mail\":\"Ann@x_y\"}"), JobOptions.NONE, NOON));
    save(NewJob.of("b", Json.ofChecked("{\"mail\":\"ann@xzy\"}"), JobOptions.NONE, after(1)));

    assertThat(names(byPayload("ANN"))).containsExactly("b", "a");
    assertThat(names(byPayload("x_y"))).containsExactly("a");
    assertThat(byPayload("bob")).isEmpty();
  }

  private void made(String name, long millis) {
    save(NewJob.of(name, DATA, JobOptions.NONE, after(millis)));
  }

  private List<JobData> byName(String query) {
    return Outcomes.done(store.searchByName(query, Optional.empty(), 50));
  }

  private List<JobData> byPayload(String query) {
    return Outcomes.done(store.searchByPayload(QUEUE, query, 50));
  }

  private JobPage search(SearchJobsFilter filter) {
    return Outcomes.done(store.searchJobs(filter, 0, 50));
  }

  private void assertFound(SearchJobsFilter filter, String... names) {
    JobPage page = search(filter);
    assertThat(names(page.jobs())).containsExactly(names);
    assertThat(page.total()).isEqualTo(names.length);
  }

  private static SearchJobsFilter filter(
      @Nullable String queueName, List<JobState> states, @Nullable String name) {
    return new SearchJobsFilter(queueName, states, name, null, null);
  }
}
