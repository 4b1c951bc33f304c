/* The `model:` section: its table, and the choice between a network and a test bed. */
#include "model/network.h"

static const sprint_kind *const loss_kinds[] = {
    &sprint__loss_softmax, &sprint__loss_logistic, &sprint__loss_sigmoid,
    &sprint__loss_squared, &sprint__loss_mean,     &sprint__loss_linear,
};

const sprint_family sprint__loss_family = {
    .name = "losses",
    .key = "model.loss",
    .help = "what is minimised, per record",
    .kinds = loss_kinds,
    .n_kinds = SPRINT__COUNT(loss_kinds),
    .standard = "logistic",
};

static const sprint_param model_params[] = {
    SPRINT__TEXTS("layers", "dense 1", "layer list, `dense 64, relu, dense 1`; `sprint list layers` shows the kinds"),
    SPRINT__SECTION("loss", "logistic", &sprint__loss_family, "the loss of one record"),
    SPRINT__SECTION("init", "torch", &sprint__init_family, "how the starting point is drawn from the seed"),
    SPRINT__REAL("l2", "0", 0, 1e6, "adds l2/2 |theta|^2 to the loss of every record"),
    SPRINT__FLAG("l2_biases", "false", "whether l2 takes in the biases"),
};

static const sprint_kind model_kind = {"", "a network and its loss", model_params, SPRINT__COUNT(model_params), NULL};
static const sprint_kind *const model_kinds[] = {&model_kind};

const sprint_family sprint__model_family = {
    .name = "models",
    .key = "model",
    .help = "a network from a layer list, and its loss",
    .kinds = model_kinds,
    .n_kinds = 1,
};

sprint_status sprint__model_build(const struct sprint__section *section, struct sprint__shape shape, size_t n_classes,
                                  sprint_model **ret_model) {
  const struct sprint__loss_ops *loss = sprint__get_section(section, "loss")->kind->ops;
  if (loss->test_bed) return sprint__test_bed_build(section, sprint__shape_size(&shape), ret_model);
  return sprint__network_build(section, shape, n_classes, ret_model);
}
