/* Running gnuplot: see gnuplot.h. */
#define _POSIX_C_SOURCE 200809L
#include "report/gnuplot.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/print.h"

enum { NOT_FOUND = 127, SAID = 400 }; /* exit code of a program that is not there; characters of a complaint kept */

struct terminal {
  const char *ending, *setting; /* printf: width, height */
  double point;                 /* what a font's size has to be multiplied by, */
  double dot;                   /* and that of a mark */
};

/* Sizes are points: 72 to an inch of a PDF, one pixel of an SVG, two of a PNG. Letters are 12 of them high in all
 * three: pngcairo takes 96 to an inch, and pdfcairo's letters are half as large again as asked for. */
static const struct terminal terminals[] = {
    {".svg", "set terminal svg size %d,%d font 'sans,12' background 'white'\n", 1, 0.6},
    {".png", "set terminal pngcairo size %d*2,%d*2 font 'sans,9' fontscale 2 linewidth 2 pointscale 2\n", 0.75, 1},
    {".pdf", "set terminal pdfcairo size %d/72.0,%d/72.0 font 'sans,12' fontscale 0.67 linewidth 2\n", 1, 1},
};

static const struct terminal *terminal_of(const char *path) {
  for (size_t i = 0; i < SPRINT__COUNT(terminals); i++)
    if (sprint__path_ends_in(path, terminals[i].ending) && strlen(path) > strlen(terminals[i].ending))
      return &terminals[i];
  return NULL;
}

/* The path with another ending; the arena's. */
static char *beside(struct sprint__arena *arena, const char *path, const char *ending, const char *other) {
  int length = (int)(strlen(path) - strlen(ending));
  return sprint__arena_keep(arena, sprint__printf(arena->context, "%.*s%s", length, path, other));
}

static const char *name_in(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void sprint__gnuplot_quote(FILE *stream, const char *text) {
  fputc('\'', stream);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', stream);
    fputc(*text, stream);
  }
  fputc('\'', stream);
}

/* clang-format off */
static void print_preamble(const struct sprint__plot *plot, const struct terminal *terminal, int width, int height) {
  FILE *script = plot->script.stream;
  fprintf(script, "# gnuplot %s\n", name_in(plot->script_path));
  fprintf(script, terminal->setting, width, height);
  sprint__fprintf(script, "small = ',%g'\nlarge = ',%g'\ndot = %g\n", 9 * terminal->point, 13 * terminal->point,
          terminal->dot);
  fputs("set output ", script);
  sprint__gnuplot_quote(script, plot->image);
  fputs("\ndata = ", script);
  sprint__gnuplot_quote(script, plot->data_name);
  fputs("\n"
        "set border 3 linecolor '" SPRINT__GREY "'\n"
        "set tics nomirror\n"
        "set grid ytics linecolor '#cccccc' linewidth 0.5 linetype 1\n", script);
}
/* clang-format on */

static sprint_status name_parts(struct sprint__plot *plot, const char *path, const char *ending, char **ret_data) {
  struct sprint__arena *arena = &plot->arena;
  size_t folder = (size_t)(name_in(path) - path);
  plot->script_path = beside(arena, path, ending, ".gp");
  *ret_data = beside(arena, path, ending, ".dat");
  plot->image = sprint__arena_strdup(arena, name_in(path));
  plot->data_name = *ret_data ? sprint__arena_strdup(arena, name_in(*ret_data)) : NULL;
  plot->folder = folder ? beside(arena, path, path + folder, "") : sprint__arena_strdup(arena, ".");
  return sprint__arena_status(arena);
}

sprint_status sprint_figure_check(sprint_context *context, const char *path) {
  SPRINT__REQUIRE(context, path);
  if (terminal_of(path)) return SPRINT_OK;
  return sprint_fail(context, SPRINT_ERROR_INPUT, "%s: a figure's name ending in .svg, .png or .pdf was expected",
                     path);
}

sprint_status sprint__plot_begin(sprint_context *context, const char *path, int width, int height,
                                 struct sprint__plot *ret_plot) {
  const struct terminal *terminal = terminal_of(path);
  struct sprint__plot plot = {.context = context, .arena = {.context = context}};
  char *data = NULL;
  SPRINT__TRY(sprint_figure_check(context, path));
  sprint_status status = name_parts(&plot, path, terminal->ending, &data);
  if (status == SPRINT_OK) status = sprint__folder_make(context, plot.folder);
  if (status == SPRINT_OK) status = sprint__file_create(context, plot.script_path, &plot.script);
  if (status == SPRINT_OK) {
    status = sprint__file_create(context, data, &plot.data);
    if (status != SPRINT_OK) sprint__file_abandon(&plot.script);
  }
  if (status != SPRINT_OK) {
    sprint__arena_free(&plot.arena);
    return status;
  }
  print_preamble(&plot, terminal, width, height);
  *ret_plot = plot;
  return SPRINT_OK;
}

void sprint__plot_abandon(struct sprint__plot *plot) {
  sprint__file_abandon(&plot->script);
  sprint__file_abandon(&plot->data);
  sprint__arena_free(&plot->arena);
}

/* In the child: gnuplot on the script, in its folder, with what it says going to the pipe. */
static void become_gnuplot(const struct sprint__plot *plot, int pipe_end) {
  const char *name = name_in(plot->script_path);
  if (dup2(pipe_end, STDERR_FILENO) < 0 || dup2(pipe_end, STDOUT_FILENO) < 0) _exit(NOT_FOUND);
  if (chdir(plot->folder) == 0) execlp("gnuplot", "gnuplot", name, (char *)NULL);
  _exit(NOT_FOUND);
}

/* The first line with a letter in it that gnuplot said, all of it read. */
static void listen(int pipe_end, char *ret_said) {
  char all[4096];
  size_t n = 0;
  ssize_t got;
  while ((got = read(pipe_end, all + n, sizeof all - 1 - n)) != 0) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) n += (size_t)got;
    if (n == sizeof all - 1) n /= 2; /* more than anybody reads: what came last is of no interest */
  }
  all[n] = '\0';
  const char *colon = strstr(all, ": "), *from = colon ? colon + 2 : all + strspn(all, "\n ^");
  snprintf(ret_said, SAID, "%.*s", (int)strcspn(from, "\n"), from);
}

static sprint_status draw(const struct sprint__plot *plot) {
  int ends[2], code = 0;
  char said[SAID] = "";
  if (pipe(ends) != 0) return sprint_fail(plot->context, SPRINT_ERROR_IO, "gnuplot cannot be run: %s", strerror(errno));
  pid_t child = fork();
  if (child == 0) become_gnuplot(plot, ends[1]);
  close(ends[1]);
  if (child > 0) listen(ends[0], said);
  close(ends[0]);
  if (child < 0) return sprint_fail(plot->context, SPRINT_ERROR_IO, "gnuplot cannot be run: %s", strerror(errno));
  while (waitpid(child, &code, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(code) && WEXITSTATUS(code) == NOT_FOUND)
    return sprint_fail(plot->context, SPRINT_ERROR_IO,
                       "gnuplot is not installed (Debian: gnuplot-nox); the figure's script is ready in %s",
                       plot->script_path);
  if (code != 0) return sprint_fail(plot->context, SPRINT_ERROR_IO, "%s: gnuplot failed: %s", plot->script_path, said);
  return SPRINT_OK;
}

sprint_status sprint__plot_end(struct sprint__plot *plot) {
  sprint_status status = sprint__file_commit(plot->context, &plot->data);
  if (status == SPRINT_OK)
    status = sprint__file_commit(plot->context, &plot->script);
  else
    sprint__file_abandon(&plot->script);
  if (status == SPRINT_OK) status = draw(plot);
  sprint__arena_free(&plot->arena);
  return status;
}
