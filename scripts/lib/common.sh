# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share. Nothing here writes to stdout unasked.
root=${root:?the script that sources this sets root to the checkout}

say() { printf 'tactus: %s\n' "$*" >&2; }

# build_jobs KILOBYTES: how many compilers of that size at once: one per CPU, and no more than memory has room for.
build_jobs() {
  local jobs room
  jobs=$(nproc)
  room=$(awk -v each="$1" '/^MemAvailable:/ {print int($2 / each)}' /proc/meminfo)
  if ((room < jobs)); then jobs=$((room > 0 ? room : 1)); fi
  printf '%s\n' "$jobs"
}

# Takes the lock of a preset's build directory (fd 9) and keeps it until release_lock or the end of the script.
take_lock() {
  local preset=$1
  if ! { mkdir -p "$root/build" && [[ -w $root/build ]]; } 2>/dev/null; then
    say "$root/build is not writable for $(id -un)"
    return 1
  fi
  exec 9>>"$root/build/.$preset.lock" || return 1
  if ! flock -n 9; then
    say "build/$preset is being built by another process; waiting"
    flock -w 3600 9 || { say "gave up waiting for build/$preset after an hour"; return 1; }
  fi
}
release_lock() { exec 9>&-; }

# show_failure LOG: the part of a configure or build log that says what is wrong.
show_failure() {
  if grep -q '^CMake Error' "$1"; then
    sed -n '/^CMake Error/,$p' "$1" | head -n 40 >&2
  elif grep -q '^FAILED:' "$1"; then
    sed -n '/^FAILED:/,$p' "$1" | grep -v '^\[[0-9]*/[0-9]*\]' | head -n 80 >&2
  else
    tail -n 40 "$1" >&2
  fi
}

clang_sanitizes() {
  clang++ -fsanitize=address,undefined -x c++ - -o /dev/null <<<'int main() {}' 2>/dev/null
}

# build_preset PRESET [TARGET...]: sets up, configures and builds what is not up to date, under the lock.
# Says one line when there is something to build, and the errors when it fails. TACTUS_TESTS says which tests
# (tests/CMakeLists.txt); by default those that a preset has by day.
build_preset() {
  local preset=$1
  shift
  local build=$root/build/$preset stamp=$root/build/$preset/.configured log=$root/build/$preset.log
  local configure=(cmake --preset "$preset")
  local setup_for=()
  [[ $preset == release ]] && setup_for=(--build)
  [[ $preset == arm64 ]] && setup_for=(--arm64)

  if [[ ! -e $stamp || $root/scripts/setup -nt $stamp ]]; then
    if command -v dpkg-query >/dev/null; then
      "$root/scripts/setup" "${setup_for[@]}" || return 1
    fi
  fi
  local tests=${TACTUS_TESTS:-all}
  if [[ -z ${TACTUS_TESTS:-} ]]; then
    case $preset in
      asan) tests=units ;;
      tsan) tests=threads ;;
    esac
  fi
  if [[ $preset != release ]]; then
    configure+=("-DTACTUS_TESTS=$tests")
    if [[ -e $build/CMakeCache.txt ]] && ! grep -qx "TACTUS_TESTS:STRING=$tests" "$build/CMakeCache.txt"; then
      rm -f "$stamp"
    fi
  fi
  # So many files of the tests' build at a time: .ci/run says it, which builds from nothing. The default is for a
  # developer, who changes one file.
  if [[ $preset == dev && -n ${TACTUS_BATCH:-} ]]; then
    configure+=("-DCMAKE_UNITY_BUILD_BATCH_SIZE=$TACTUS_BATCH")
    if [[ -e $build/CMakeCache.txt ]] &&
      ! grep -q "^CMAKE_UNITY_BUILD_BATCH_SIZE:.*=$TACTUS_BATCH\$" "$build/CMakeCache.txt"; then
      rm -f "$stamp"
    fi
  fi
  # Without line numbers in traces, a tenth of compiling less. What is printed as failed names its line in any case.
  if [[ ${TACTUS_LINES:-} == no && $preset == dev ]]; then configure+=(-DCMAKE_CXX_FLAGS_DEBUG=-g0); fi
  if [[ ${TACTUS_LINES:-} == no && $preset == [at]san ]]; then configure+=("-DCMAKE_CXX_FLAGS_DEBUG=-g0 -w"); fi
  # Clang builds the tests in half the time, and sees what GCC does not; what users run is built by GCC (release).
  # Without Clang, GCC builds all.
  if [[ $preset == dev || $preset == [at]san ]] && clang_sanitizes; then
    configure+=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++)
    command -v ld.lld >/dev/null && configure+=(-DCMAKE_{EXE,SHARED,MODULE}_LINKER_FLAGS=-fuse-ld=lld)
    if [[ -e $build/CMakeCache.txt ]] && ! grep -q '^CMAKE_CXX_COMPILER:.*clang' "$build/CMakeCache.txt"; then
      configure+=(--fresh)
      rm -f "$stamp"
    fi
  fi
  # A checkout that was moved or copied brings a build directory that still points at the old place.
  if [[ -e $build/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    configure+=(--fresh)
    rm -f "$stamp"
  fi
  local news=""
  if [[ ! -e $build/build.ninja || ! -e $stamp || $root/CMakePresets.json -nt $stamp ||
    $root/scripts/setup -nt $stamp ]]; then
    [[ -e $build/build.ninja ]] || news=yes
    if ! (cd "$root" && "${configure[@]}") >"$log" 2>&1 </dev/null; then
      show_failure "$log"
      say "configuring build/$preset failed; all of it is in $log"
      return 1
    fi
    touch "$stamp"
  fi

  local plan
  plan=$(ninja -C "$build" -n "$@" 2>&1 </dev/null | tail -n 1)
  if [[ $plan == "ninja: no work to do." ]]; then return 0; fi

  local jobs steps minutes each=1200000
  [[ $preset == dev && -z ${TACTUS_BATCH:-} ]] || each=2000000  # more files at a time
  jobs=$(build_jobs "$each")
  steps=$(grep -c '^build .*: \(C\|CXX\)_COMPILER' "$build/build.ninja")
  minutes=$(((${steps:-1} * 2 / jobs + 59) / 60))  # a file takes some 2 seconds of one CPU
  if [[ $news == yes ]]; then
    say "building tactus in build/$preset (first time: about $minutes min) ..."
  else
    say "building tactus in build/$preset ..."
  fi
  # Large pages for compilers, where the system grants them to who asks (glibc 2.35): a tenth less of Clang's time.
  if ! GLIBC_TUNABLES=glibc.malloc.hugetlb=1 ninja -C "$build" -j "$jobs" "$@" >"$log" 2>&1 </dev/null; then
    show_failure "$log"
    say "building build/$preset failed; all of it is in $log"
    return 1
  fi
}
