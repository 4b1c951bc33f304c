/* Every family of kinds, in the order of a config: what `sprint list` prints. */
#include "run/sections.h"

const sprint_family *const *sprint_families(size_t *ret_n) {
  static const sprint_family *const families[] = {
      &sprint__config_family, &sprint__data_family,   &sprint__model_family, &sprint__layer_family,
      &sprint__loss_family,   &sprint__init_family,   &sprint__shift_family, &sprint__method_family,
      &sprint__step_family,   &sprint__deploy_family, &sprint__stop_family,  &sprint__eval_family,
      &sprint__engine_family,
  };
  if (ret_n) *ret_n = SPRINT__COUNT(families);
  return families;
}
