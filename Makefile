# The front door. `make demo` and `make test` do all set-up on a fresh Debian machine; CMake does the building.
PREFIX ?= /usr/local
BUILD  ?= build
JOBS   ?= $(shell nproc)
WERROR ?= OFF
# Test programs on the library wait by sleeping, so that other load does not stall them.
export GOMP_SPINCOUNT ?= 1000

.PHONY: all setup demo test torture fuzz bench shapes sanitize tsan portable lint coverage install reference format clean

all: $(BUILD)/Makefile
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory -s

$(BUILD)/Makefile: CMakeLists.txt | setup
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DSPRINT_WERROR=$(WERROR) >/dev/null

setup:
	@scripts/setup

demo: all
	$(BUILD)/sprint run experiments/demo.yaml --out runs/demo

# Packages that tests alone need: a locale with decimal commas is made by one, figures are drawn by another.
test: all
	@scripts/setup --try chromium
	@scripts/setup locales gnuplot-nox procps
	cd $(BUILD) && ctest --output-on-failure -j $(JOBS) $(if $(ALL),,-E '$(TWINS)')

# Minutes of a core, in double what they are in float: left to ALL=1 and `make torture`.
TWINS = ^sprint-f64:test_(engine|fit_shift|late|resume)$$

# What takes longer than a test may: all of tests/torture, of which `make test` runs samples.
torture: all
	tests/torture/run $(BUILD)
	$(MAKE) sanitize ALL=1

# tests/fuzz under clang's libFuzzer, SECONDS of each; the corpora grow in build-fuzz/corpus.
SECONDS ?= 10
fuzz: | setup
	@scripts/setup clang libclang-rt-14-dev
	@cmake -S . -B $(BUILD)-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DSPRINT_FUZZ=ON >/dev/null
	@cmake --build $(BUILD)-fuzz -j $(JOBS) --target fuzz-programs -- --no-print-directory -s
	tests/fuzz/run $(BUILD)-fuzz $(SECONDS)

# Our time beside PyTorch's; QUICK=1 takes two minutes, DATA=DIR uses the real MNIST and Credit data.
bench: all
	@scripts/setup python3-torch gnuplot-nox
	bench/run --build $(BUILD) $(if $(QUICK),--quick) $(if $(DATA),--data $(DATA))

# N networks drawn from SEED, each raced against PyTorch: 20 minutes for 40 on two quiet cores.
SEED ?= 1
N    ?= 40
shapes: all
	@scripts/setup python3-torch gnuplot-nox
	bench/shapes --build $(BUILD) --seed $(SEED) --n $(N)

# The same tests under AddressSanitizer and UndefinedBehaviorSanitizer, lightly optimised: half the time, the same findings. Long ones
# whose double twin differs in the width of numbers alone run in float, and a few that are long for their threads and runs not at all,
# but for ALL=1, as `make torture` has it.
LONG = ^sprint-f64:test_(bias|check_step|endless|engine|estimators|experiment|fit_shift|landscape_f64|late|limits|memory|memory_runs|pixels|pixels_f64|resume|solver_file|tell_images|trouble)$$|^sprint:test_resume$$|^cli:(determinism|reproduce|resume)$$
sanitize: | setup
	@scripts/setup locales gnuplot-nox procps
	@cmake -S . -B $(BUILD)-sanitize -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DSPRINT_SANITIZE=ON >/dev/null
	@cmake --build $(BUILD)-sanitize -j $(JOBS) -- --no-print-directory -s
	cd $(BUILD)-sanitize && ctest --output-on-failure -j $(JOBS) $(if $(ALL),,-E '$(LONG)')

# What works on threads under ThreadSanitizer, with clang's OpenMP, which it can see through, and with weakened memory orders, which
# it must find.
tsan: | setup
	@scripts/setup clang libclang-rt-14-dev libomp-14-dev
	@cmake -S . -B $(BUILD)-tsan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DSPRINT_TSAN=ON >/dev/null
	@cmake --build $(BUILD)-tsan -j $(JOBS) --target tsan-programs -- --no-print-directory -s
	cd $(BUILD)-tsan && ctest --output-on-failure -j $(JOBS) -L tsan

# Which lines and branches the tests run, children of the command included; kernels, which are compared with slow twins, left out.
coverage: | setup
	@scripts/setup locales gnuplot-nox procps
	@cmake -S . -B $(BUILD)-coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DSPRINT_COVERAGE=ON >/dev/null
	@cmake --build $(BUILD)-coverage -j $(JOBS) -- --no-print-directory -s
	@find $(BUILD)-coverage -name '*.gcda' -delete
	code=0; (cd $(BUILD)-coverage && ctest --output-on-failure -j $(JOBS)) || code=$$?; tests/coverage/report.py $(BUILD)-coverage; exit $$code

# Hot loops as machines without AVX2 run them; `make sanitize` has them too, less optimised.
portable: | setup
	@cmake -S . -B $(BUILD)-portable -DSPRINT_PORTABLE=ON >/dev/null
	@cmake --build $(BUILD)-portable -j $(JOBS) -- --no-print-directory -s
	cd $(BUILD)-portable && ctest --output-on-failure -j $(JOBS) -R '^sprint|^cli:(run|determinism|grad|verify)$$'

# What another compiler warns of, and what two programs that read C find; what they are not asked for is in .clang-tidy and
# .cppcheck, with reasons.
lint: all
	@scripts/setup clang clang-tidy cppcheck libomp-14-dev
	scripts/lint $(BUILD) $(JOBS)

install: all
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --install $(BUILD)

# docs/reference.txt is what `sprint list` prints; a test compares them.
reference: all
	$(BUILD)/sprint list >docs/reference.txt

format:
	clang-format -i include/*.h src/*/*.[ch] tests/*/*.[ch] examples/*.c

clean:
	rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-fuzz $(BUILD)-tsan $(BUILD)-coverage $(BUILD)-portable
