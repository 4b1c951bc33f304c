/* What a run's last digits may depend on: results are the same to the bit on one kind of processor, not across kinds.
 */
#include <cblas.h>
#include <stdio.h>
#include <string.h>

#include "run/saved.h"

/* "model name : X" of /proc/cpuinfo; "unknown" where there is none. */
static void read_processor(char *ret_name, size_t size) {
  char line[256];
  FILE *stream = fopen("/proc/cpuinfo", "r");
  snprintf(ret_name, size, "unknown");
  while (stream && fgets(line, sizeof line, stream)) {
    const char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    if (!colon) continue;
    snprintf(ret_name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (stream) fclose(stream);
}

/* Which of the two builds of base/fast.h the loader has picked. */
static const char *kernels(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
  return "portable";
}

json_t *sprint__machine_json(void) {
  char processor[256];
  read_processor(processor, sizeof processor);
  return json_pack("{s:s, s:s, s:s}", "processor", processor, "kernels", kernels(), "blas", openblas_get_corename());
}
