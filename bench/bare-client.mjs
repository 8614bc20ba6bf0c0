/**
 * The lower bound: Node's bare http client in its own process. It logs in, sends every body on a
 * new connection as n8n does, with the given concurrency, and reads every response.
 *
 * node bare-client.mjs <file with { baseUrl, email, password, path, bodies, concurrency }>; prints one line of JSON.
 */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { performance } from 'node:perf_hooks';

const { baseUrl, email, password, path, bodies, concurrency } = JSON.parse(
	readFileSync(process.argv[2], 'utf8'),
);

const cpuBefore = process.cpuUsage();
const started = performance.now();
const { accessToken } = await post('/v2/auth/login', { email, password });

let next = 0;
let created = 0;
const worker = async () => {
	while (next < bodies.length) {
		const answer = await post(path, bodies[next++], accessToken);
		if (typeof answer.transaction_id === 'string') created++;
	}
};
await Promise.all(Array.from({ length: concurrency }, worker));

const time = performance.now() - started;
const { user, system } = process.cpuUsage(cpuBefore);
const peakMemory = process.resourceUsage().maxRSS / 1024;
const total = process.cpuUsage();
console.log(
	JSON.stringify({
		time,
		cpu: (user + system) / 1000,
		/** Includes the start of the process. */
		cpuOfProcess: (total.user + total.system) / 1000,
		peakMemory,
		created,
	}),
);

function post(route, body, token) {
	const text = JSON.stringify(body);
	return new Promise((resolve, reject) => {
		const request = http.request(
			`${baseUrl}${route}`,
			{
				method: 'POST',
				agent: false,
				headers: {
					'content-type': 'application/json',
					'content-length': Buffer.byteLength(text),
					...(token && { authorization: `Bearer ${token}` }),
				},
			},
			(response) => {
				let answer = '';
				response.setEncoding('utf8');
				response.on('data', (chunk) => (answer += chunk));
				response.on('error', reject);
				response.on('end', () => {
					const { statusCode = 0 } = response;
					if (statusCode >= 200 && statusCode < 300) resolve(JSON.parse(answer));
					else reject(new Error(`${route} answered ${statusCode}: ${answer}`));
				});
			},
		);
		request.on('error', reject);
		request.end(text);
	});
}
