/* Memory for jansson: a door that remembers failure, so that a document is built without a check at every value and
 * checked once, where it is written. */
#ifndef SPRINT_BASE_JSON_H
#define SPRINT_BASE_JSON_H

#include "base/context.h"

/* Makes jansson take its memory by the door, in front of whatever allocator the program has set. Once is enough. */
void sprint__json_watch(void);

/* SPRINT_ERROR_MEMORY, with the error set, where memory for jansson has run out on this thread since this was last
 * asked. What was built in between may lack something. */
sprint_status sprint__json_status(sprint_context *context);

#endif
