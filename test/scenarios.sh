#!/usr/bin/env bash
# npm run test:scenarios: all random tests with many more runs, and a seed by the clock unless SEED is set.
set -euo pipefail
cd "$(dirname "$0")/.."

export SEED="${SEED:-$(date +%s)}"
echo "SEED=$SEED"
npm run build
npm run fuzz
npm run simulate -- --runs 100000
npm run simulate -- --seeded-bugs --runs 20000
RUNS=2000 npx jest test/payments/property
# Each hostile answer to each operation.
RUNS=1 npx jest test/engine/hostile
RUNS=5000 npx jest test/state
RUNS=100000 npx jest test/trigger/deduplication
