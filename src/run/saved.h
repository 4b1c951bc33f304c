/* Saved runs: run.json, written last and read again to know what is done. */
#ifndef SPRINT_RUN_SAVED_H
#define SPRINT_RUN_SAVED_H

#include "run/run.h"
#include "run/safetensors.h"

/* The parameters of a run, and, of one that diverged, those of its newest sound row. */
#define SPRINT__MODEL_FILE       "model.safetensors"
#define SPRINT__LAST_FINITE_FILE "last-finite.safetensors"

#define SPRINT__TRACE_FILE  "trace.csv"
#define SPRINT__TIMING_FILE "timing.csv"
#define SPRINT__RECORD_FILE "run.json" /* with the sums of the others */

/* All that a run may have beside its record: of the two models it has one, or none. */
#define SPRINT__RUN_FILES \
  { SPRINT__TRACE_FILE, SPRINT__TIMING_FILE, SPRINT__MODEL_FILE, SPRINT__LAST_FINITE_FILE }

/* The record of a saved run: a new reference. */
sprint_status sprint__saved_read(sprint_context *context, const char *folder, json_t **ret_json);

/* Takes run.json away, before other files change. */
sprint_status sprint__saved_forget(sprint_context *context, const char *folder);

/* save.c: a seed as run.json has it: a text where JSON's integers end. A new reference. */
json_t *sprint__seed_json(uint64_t seed);

/* save.c: what run.json says of the point that distances were measured to: a sum over it, or null. A new reference. */
json_t *sprint__reference_json(const sprint_run *run);

/* machine.c: the processor, the kernels that were picked for it, and OpenBLAS's. A new reference. */
json_t *sprint__machine_json(void);

/* machine.c: the same as a text for people, with zeros behind it. */
enum { SPRINT__MACHINE_NAME = 320 };
void sprint__machine_name(char ret_name[SPRINT__MACHINE_NAME]);

/* save.c: what run.json says of a population. A new reference, or NULL. */
json_t *sprint__population_json(const sprint_population *population);

/* save.c: what a model of a run says of itself: all that predict needs. A new reference. */
json_t *sprint__model_metadata(const sprint_run *run, double epoch);

/* save.c: the same of the plugins that are loaded, by path and checksum; an empty list where there are none. */
json_t *sprint__plugins_json(const sprint_context *context);

#endif
