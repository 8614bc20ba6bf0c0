/**
 * Notes when n8n's event loop stood still: in the file that the benchmark names, a line for each time of at least
 * 20 ms.
 */
const { appendFileSync } = require('node:fs');
const { performance } = require('node:perf_hooks');

const PERIOD_MS = 5;
const LEAST_MS = 20;

const file = process.env.BENCH_BLOCKS_FILE;

if (file) {
	let last = performance.now();
	setInterval(() => {
		const ms = performance.now() - last - PERIOD_MS;
		if (ms >= LEAST_MS) appendFileSync(file, `${JSON.stringify({ at: Date.now(), ms })}\n`);
		last = performance.now();
	}, PERIOD_MS).unref();
}
