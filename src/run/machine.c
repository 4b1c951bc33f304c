/* What a run's last digits may depend on: results are the same to the bit on one kind of processor, not across kinds.
 */
#define _POSIX_C_SOURCE 200809L
#include <cblas.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fast.h"
#include "run/saved.h"

/* "model name : X" of /proc/cpuinfo; "unknown" where there is none. Read without stdio, which would take memory. */
static void read_processor(char *ret_name, size_t size) {
  char text[4096];
  int descriptor = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  ssize_t n = descriptor >= 0 ? read(descriptor, text, sizeof text - 1) : 0;
  if (descriptor >= 0) close(descriptor);
  text[n > 0 ? n : 0] = '\0';
  const char *line = strstr(text, "model name"), *colon = line ? strchr(line, ':') : NULL;
  if (colon)
    snprintf(ret_name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
  else
    snprintf(ret_name, size, "unknown");
}

/* Which of the builds of base/fast.h the loader has picked, or the one that there is. */
static const char *kernels(void) {
#if SPRINT__TWICE
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "avx2" : "portable";
#elif defined(__AVX2__)
  return "avx2";
#else
  return "portable";
#endif
}

void sprint__machine_name(char ret_name[SPRINT__MACHINE_NAME]) {
  char processor[256];
  read_processor(processor, sizeof processor);
  memset(ret_name, 0, SPRINT__MACHINE_NAME);
  snprintf(ret_name, SPRINT__MACHINE_NAME, "%s, %s kernels, BLAS core %s", processor, kernels(),
           openblas_get_corename());
}

json_t *sprint__machine_json(void) {
  char processor[256];
  read_processor(processor, sizeof processor);
  return json_pack("{s:s, s:s, s:s}", "processor", processor, "kernels", kernels(), "blas", openblas_get_corename());
}
