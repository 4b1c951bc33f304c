/* What `sprint fit-shift` prints. */
#ifndef SPRINT_CLI_FIT_SHIFT_H
#define SPRINT_CLI_FIT_SHIFT_H

#include "cli.h"

void cli_fit_print(const sprint_fit *fit, const sprint_fit_options *how);
void cli_fit_print_json(const sprint_fit *fit, const sprint_fit_options *how);

#endif
