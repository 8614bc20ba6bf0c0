#!/usr/bin/env bash
# npm run test:scenarios: all random tests with many more runs, and a seed by the clock unless SEED is set.
#
#   npm run test:scenarios                   all parts, one after the other
#   npm run test:scenarios -- payments       100,000 scenarios of a kind: payments, fundings or events
#   npm run test:scenarios -- payments 1/4   a quarter of them, with a seed of its own
#   npm run test:scenarios -- seeded-bugs    whether the scenarios find each seeded bug
#   npm run test:scenarios -- others         the other generated tests
set -euo pipefail
cd "$(dirname "$0")/.."

export SEED="${SEED:-$(date +%s)}"
echo "SEED=$SEED"

simulate() { # <kind> [<part>/<parts>]
	local part=${2:-1/1}
	# Parts that begin in the same second differ, too.
	npm run simulate -- --scenario "$1" --runs $((100000 / ${part#*/})) --seed $((SEED * 10 + ${part%/*}))
}

seeded_bugs() {
	npm run simulate -- --seeded-bugs --runs 100000
}

others() {
	npm run fuzz
	RUNS=2000 npx jest test/batch/property
	# Each hostile answer to each operation.
	RUNS=1 npx jest test/engine/hostile
	RUNS=5000 npx jest test/ledger
	RUNS=100000 npx jest test/trigger/deduplication
}

case ${1:-all} in
all)
	others
	simulate payments
	simulate fundings
	simulate events
	seeded_bugs
	;;
payments | fundings | events) simulate "$@" ;;
seeded-bugs) seeded_bugs ;;
others) others ;;
*)
	echo "There is no part $1: payments, fundings, events, seeded-bugs or others" >&2
	exit 1
	;;
esac
