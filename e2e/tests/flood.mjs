import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './trigger-support.mjs';

export const RATE = 500;
export const SECONDS = 20;

/** The time limit for accepted requests after the flood. */
const GRACE_MS = 5_000;

const NO_ANSWER = 'no answer';

/**
 * Sends RATE requests per second to n8n for SECONDS over 200 connections, and measures n8n's other responses. Ends
 * when n8n responds as before.
 *
 * @param {import('../harness/n8n.mjs').N8n} n8n whose answers are looked at
 * @param {string} what they are, as text
 * @param {string} body of each request
 * @param {(number: number) => URL} addressOf the address of each request
 * @returns {Promise<{ sent: number, statuses: Record<string, number>, failures: number, rows: Array<[string, string]> }>}
 * the number of each response, the number of other requests that failed, and lines for a table
 */
export async function flood(n8n, what, body, addressOf) {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
	/** @type {Record<string, number>} */
	const statuses = {};
	const send = (address) =>
		new Promise((resolve) => {
			const headers = { 'content-type': 'application/json' };
			const request = http.request(address, { method: 'POST', agent, headers }, (response) => {
				response.resume();
				response.on('end', () => resolve(response.statusCode));
			});
			request.on('error', () => resolve(NO_ANSWER));
			request.end(body);
		});

	const others = {
		'/healthz': () => n8n.fetch('/healthz').then((response) => response.text()),
		'/rest/workflows': () => n8n.rest('GET', '/workflows'),
	};
	/** @type {Record<string, number[]>} */
	const latencies = Object.fromEntries(Object.keys(others).map((name) => [name, []]));
	let failures = 0;
	let isOver = false;
	const watching = Object.entries(others).map(async ([name, ask]) => {
		while (!isOver) {
			const started = performance.now();
			await ask().catch(() => failures++);
			latencies[name].push(performance.now() - started);
			await sleep(200);
		}
	});

	let sent = 0;
	const pending = [];
	const started = performance.now();
	while (sent < RATE * SECONDS) {
		const elapsed = (performance.now() - started) / 1000;
		const due = Math.min(RATE * SECONDS, Math.floor(elapsed * RATE));
		while (sent < due) pending.push(send(addressOf(sent++)));
		await sleep(10);
	}
	const cutOff = setTimeout(() => agent.destroy(), GRACE_MS);
	for (const status of await Promise.all(pending)) statuses[status] = (statuses[status] ?? 0) + 1;
	clearTimeout(cutOff);
	isOver = true;
	await Promise.all(watching);
	agent.destroy();
	await until(() => n8n.rest('GET', '/workflows').catch(() => false), 'n8n answers again', {
		timeoutMs: 120_000,
	});

	const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
	/** @type {Array<[string, string]>} */
	const rows = [[`${sent} ${what} in ${SECONDS} s`, answers.join(', ')]];
	for (const [name, times] of Object.entries(latencies)) {
		times.sort((a, b) => a - b);
		const median = times[Math.floor(times.length / 2)];
		rows.push([
			`  meanwhile ${name}, ${times.length} times`,
			`median ${median.toFixed(0)} ms, longest ${times[times.length - 1].toFixed(0)} ms`,
		]);
	}
	return { sent, statuses, failures, rows };
}

/** The guessed secrets: all wrong, four of five nearly right. */
export function guessesOf(secret) {
	const guesses = [
		() => randomBytes(32).toString('hex'),
		() => `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`,
		() => secret.toUpperCase(),
		() => '',
		() => `${secret}0`,
	];
	return (number) => guesses[number % guesses.length]();
}
