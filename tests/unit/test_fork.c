/* A child of a process that has used threads: OpenMP's are not in it, and whoever waits for them waits for ever. It
 * works alone, and results do not depend on that. */
#include <sys/wait.h>
#include <unistd.h>

#include "help.h"

static const char data[] = "{kind: lending, n: 4000}";
static const char layers[] = "{layers: 'dense 64, relu, dense 1'}";

/* The gradient of everybody's loss, cut into lanes, by two threads. */
static void gradient_of(struct world *w, double *ret_loss, sprint_real *ret_gradient) {
  size_t n = sprint_model_n_params(w->model);
  sprint_real *theta = calloc(n, sizeof *theta);
  assert_non_null(theta);
  MUST(w->context, sprint_context_set_threads(w->context, 2));
  MUST(w->context, sprint_model_start(w->model, 1, theta));
  sprint_batch batch = {sizeof batch, sprint_population_n(w->population), sprint_population_x(w->population),
                        sprint_population_y(w->population)};
  size_t correct = 0;
  MUST(w->context, sprint_model_gradient(w->model, theta, &batch, ret_loss, &correct, ret_gradient, NULL));
  free(theta);
}

static bool same_in_child(struct world *w, double loss, const sprint_real *gradient, sprint_real *room) {
  double again = 0;
  gradient_of(w, &again, room);
  return again == loss && memcmp(room, gradient, sprint_model_n_params(w->model) * sizeof *room) == 0;
}

static void test_fork__a_child_works_alone(void **state) {
  (void)state;
  struct world w = world_new(data, layers, NULL);
  size_t n = sprint_model_n_params(w.model);
  sprint_real *gradient = calloc(n, sizeof *gradient), *room = calloc(n, sizeof *room);
  double loss = 0;
  assert_true(gradient && room);
  gradient_of(&w, &loss, gradient);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(60);
    struct world own = world_new(data, layers, NULL); /* what a forked worker makes for itself */
    _exit(same_in_child(&w, loss, gradient, room) && same_in_child(&own, loss, gradient, room) ? 0 : 1);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) fail_msg("the child was ended by signal %d", WTERMSIG(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  gradient_of(&w, &loss, room); /* and this process goes on as before */
  assert_memory_equal(room, gradient, n * sizeof *room);
  free(gradient);
  free(room);
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fork__a_child_works_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
