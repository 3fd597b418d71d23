# The two main commands are `make verify` and `make test`. Each sets up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready

.PHONY: verify test test-all busy processors pythons browser referee training audit audit-test instruments check kernel kernel-check docs pictures bench power planted mutants accountant thresholds wheel clean
.DEFAULT_GOAL := verify

# the test workers share the cores, so each runs linear algebra on one thread
test test-all busy instruments browser: export OPENBLAS_NUM_THREADS ?= 1
test test-all busy instruments browser: export MKL_NUM_THREADS ?= 1
# without compiled files, each worker and each command that a test starts compiles the whole package
verify test test-all busy instruments browser: export PYTHONDONTWRITEBYTECODE :=
test-all: export HYPOTHESIS_PROFILE ?= large
training: export OMP_NUM_THREADS ?= 1

# the requirements of the main job; Python compiles only its imports, a quarter of the files
$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 15) else "filterproof needs Python 3.11 to 3.14, got " + sys.version.split()[0] + "; set PYTHON=python3.x")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[prove]'
	touch $@

$(READY): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

verify: $(INSTALLED)
	$(BIN)/filterproof report --out reports/out

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not browser and not training and not audit and not referee"

# the examinations again with two busy loops: no result may depend on a clock
busy: $(READY)
	$(BIN)/python -c 'while True: pass' & one=$$!; $(BIN)/python -c 'while True: pass' & two=$$!; trap "kill $$one $$two" EXIT; \
		$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" tests/mc/examine

# Pinned numbers on two threads, as on a processor without AVX-512 and on one without AVX2 and fused products
processors: $(READY)
	NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=2 \
		$(BIN)/python -m pytest -q -m pinned
	NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR X86_V3" OPENBLAS_CORETYPE=Prescott OPENBLAS_NUM_THREADS=1 \
		GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F $(BIN)/python -m pytest -q -m pinned

browser: $(READY)
	$(BIN)/python -m pytest -m browser

test-all: $(READY)
	$(BIN)/python -m pytest -n 2 -m "not training and not audit and not referee" tests

# pip installs gigabytes of Torch for GPUs unless it gets the index of the CPU build:
# make training PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
$(VENV)/.training: $(READY) constraints-training.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -c constraints-training.txt -e '.[training]'
	touch $@

# the tests of the instruments: the corpus of filters, the planted faults, the peers of the benchmarks
instruments: $(READY)
	$(BIN)/python -m pytest -n 2 -m "not slow" tests/instruments

# the bridges in other languages with their toolchains; Debian packages: nodejs, golang-go, default-jdk-headless, rustc
referee: $(READY)
	$(BIN)/python -m pytest -m referee tests/filters/adapters

training: $(VENV)/.training
	$(BIN)/python -m pytest -m training

# The audited libraries, each in its own environment, because two of them need older versions.
# For a smaller Torch see `training`.
AUDITED := audit audit-diffprivlib audit-smartnoise
.audit/%/.ready: pyproject.toml reports/audit/environments/%.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -c reports/audit/environments/$*.txt -e '.[testing,$*]'
	touch $@

audit: $(READY) $(AUDITED:%=.audit/%/.ready)
	$(BIN)/filterproof audit --environments .audit --out reports/recorded

audit-test: $(READY) $(AUDITED:%=.audit/%/.ready)
	$(BIN)/python -m pytest -m audit

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -p no:cacheprovider tests/test_docstrings.py

# Checks the Rocq sources by the kernel. Only this target needs coqc and coqchk with Interval, Coquelicot and Flocq.
# Debian packages: coq, libcoq-interval, libcoq-coquelicot, libcoq-flocq.
kernel: $(READY)
	$(BIN)/filterproof kernel

kernel-check: $(READY)
	$(BIN)/filterproof kernel --check

# the pictures of the README
pictures: verify
	$(BIN)/filterproof figures natural-game --format svg --out reports/out/figures
	cp reports/out/overview.svg reports/out/figures/natural-game.svg reports/docs/static

# -E: Sphinx cannot see by file dates that generated parts of the pages changed
docs: $(READY)
	$(BIN)/python -m sphinx -E -a -W --keep-going -q -b html -d reports/out/.doctrees -c reports/docs reports/docs/pages reports/out/docs
	@echo reports/out/docs/index.html

# Benchmarks by pytest-benchmark: processor time, ratios within a group and a run. ONLY=sessions runs one file;
# BEFORE=REVISION compares with an earlier revision; RECORD=1 writes the numbers of the report
BENCH := $(CURDIR)/tests/instruments/bench
benchmark = $(BIN)/python -m pytest -q -p no:cacheprovider -p no:xdist -o python_files='bench_*.py' -o python_functions='bench_*' \
	--benchmark-timer=time.process_time --benchmark-warmup=off --benchmark-max-time=.5 --benchmark-group-by=group \
	--benchmark-columns=median,iqr,rounds
# a comma in the text of $(if) would end it
COMPARED_COLUMNS := median,iqr
bench: $(READY)
	mkdir -p reports/out
	$(benchmark) --benchmark-json=reports/out/bench.json $(if $(ONLY),$(BENCH)/bench_$(ONLY).py,$(BENCH))
	$(if $(RECORD),cp reports/out/bench.json reports/recorded/bench.json)
	$(if $(BEFORE),rm -rf build/before && git worktree prune && git worktree add --detach build/before $(BEFORE) \
		&& rm -rf build/before/tests/instruments/bench && cp -r $(BENCH) build/before/tests/instruments/bench \
		&& (cd build/before && PYTHONPATH=. $(benchmark:$(BIN)%=$(CURDIR)/$(BIN)%) --benchmark-json=$(CURDIR)/reports/out/before.json \
			tests/instruments/bench$(if $(ONLY),/bench_$(ONLY).py)) ; git worktree remove --force build/before \
		; $(BIN)/pytest-benchmark compare reports/out/before.json reports/out/bench.json --group-by=fullname --columns=$(COMPARED_COLUMNS))

accountant: $(READY)
	$(BIN)/python -m tests.instruments.bench.accountant --out reports/recorded/accountant.json

# a corpus of broken and sound filters, and public budget bugs before and after their correction
power: $(READY)
	$(BIN)/python -m tests.instruments.corpus.power --out reports/recorded/power.json

# plants faults in theory and filters, and lists those that certified numbers or tests detect
planted: $(READY)
	$(BIN)/python -m tests.instruments.planted

$(VENV)/.mutation: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutation]'
	touch $@

# lists the mutants of a file of mc that its tests miss: make mutants FILE=mc/intervals/kl.py TESTS=tests/mc/intervals
mutants: $(VENV)/.mutation
	tests/instruments/mutants.sh $(BIN) $(FILE) $(TESTS)

thresholds: $(READY)
	$(BIN)/python -m tests.mc.worst_case.write_thresholds

# the tests of verdicts and run keys, from the wheel, on every supported Python of this machine
pythons: $(READY)
	.ci/pythons

# build/ keeps files of an earlier wheel, which the next wheel would include
wheel: $(READY)
	rm -rf build
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) build dist *.egg-info reports/out
