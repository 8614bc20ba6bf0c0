/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { randomUUID } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Clock } from './clock';
import type { SandboxSettings } from './settings';
import type { Business, Webhook } from './state';

/** Delivery counts. */
export interface DeliveryCounters {
	attempts: number;
	/** Deliveries that were finally answered with a 2xx. */
	succeeded: number;
	/** Deliveries that were given up. */
	failed: number;
	/** Deliveries that are neither yet. */
	pending: number;
}

interface Delivery {
	business: Business;
	webhook: Webhook;
	payload: unknown;
	retries: number;
	/** How far the clock was ahead when the event happened. It may have been advanced since. */
	aheadMs: number;
}

interface Answer {
	statusCode: number;
	reason?: string;
}

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i;

/** Whether a host name is this machine. */
export function isLoopback(hostname: string): boolean {
	return loopback.test(hostname);
}

/**
 * Sends events to webhooks (section 6) in order, with limited concurrency. It logs every attempt.
 * Retries, their pauses and the headers are the sandbox's choice: the service's are not documented.
 */
export class Deliveries {
	private counted: DeliveryCounters = Deliveries.none();
	private queue: Delivery[] = [];
	private inFlight = new Set<Delivery>();
	private readonly requests = new Set<http.ClientRequest>();
	private readonly pauses = new Set<NodeJS.Timeout>();
	private waiting: Array<() => void> = [];

	constructor(
		private readonly settings: SandboxSettings,
		private readonly clock: Clock,
	) {}

	private static none(): DeliveryCounters {
		return { attempts: 0, succeeded: 0, failed: 0, pending: 0 };
	}

	/** Queues a payload for a webhook, twice if the settings ask for duplicates. */
	send(business: Business, webhook: Webhook, payload: unknown): void {
		const aheadMs = this.clock.aheadMs();
		const copies = Math.random() < this.settings.deliveryDuplicates ? 2 : 1;
		for (let copy = 0; copy < copies; copy++) {
			this.counted.pending += 1;
			this.queue.push({ business, webhook, payload, retries: 0, aheadMs });
		}
		this.pump();
	}

	counters(): DeliveryCounters {
		return this.counted;
	}

	/** Resolves to true once nothing is pending, or to false after the timeout. */
	async drained(timeoutMs: number): Promise<boolean> {
		if (this.counted.pending === 0) return true;
		return await new Promise((resolve) => {
			const timer = setTimeout(() => resolve(false), timeoutMs);
			this.waiting.push(() => {
				clearTimeout(timer);
				resolve(true);
			});
		});
	}

	/** Drops everything that is pending. */
	reset(): void {
		this.queue = [];
		// The outcomes of attempts in flight are no longer counted.
		this.inFlight = new Set();
		for (const pause of this.pauses) clearTimeout(pause);
		this.pauses.clear();
		for (const request of this.requests) request.destroy();
		this.counted = Deliveries.none();
		this.wake();
	}

	private pump(): void {
		const free = this.settings.deliveryConcurrency - this.inFlight.size;
		for (const delivery of this.queue.splice(0, Math.max(0, free))) {
			this.inFlight.add(delivery);
			void this.attempt(delivery, this.inFlight);
		}
	}

	private async attempt(delivery: Delivery, inFlight: Set<Delivery>): Promise<void> {
		const { business, webhook, payload, retries, aheadMs } = delivery;
		const now = () => new Date(Date.now() + aheadMs).toISOString();
		const createdAt = now();
		const startedAt = performance.now();
		const { url } = webhook;
		const { statusCode, reason } = await this.post(webhook, JSON.stringify(payload)).catch(
			// An apiKey, for example, may contain characters that a header can't.
			({ message }: Error): Answer => ({ statusCode: 0, reason: message }),
		);
		if (inFlight !== this.inFlight) return;

		const succeeded = statusCode >= 200 && statusCode < 300;
		business.logs.add({
			id: randomUUID(),
			webhookId: webhook.id,
			name: webhook.description,
			webhookUrl: url,
			status: succeeded ? 'SUCCESS' : 'ERROR',
			payload,
			statusCode,
			duration: Math.round(performance.now() - startedAt),
			retries,
			createdAt,
			updatedAt: now(),
			reason,
		});
		this.counted.attempts += 1;
		inFlight.delete(delivery);
		if (succeeded) this.finish('succeeded');
		else if (retries >= this.settings.deliveryRetries) this.finish('failed');
		else this.retryLater(delivery);
		this.pump();
	}

	private finish(outcome: 'succeeded' | 'failed'): void {
		this.counted[outcome] += 1;
		this.counted.pending -= 1;
		if (this.counted.pending === 0) this.wake();
	}

	private retryLater(delivery: Delivery): void {
		const { deliveryRetryDelaysMs: delays } = this.settings;
		const pause = setTimeout(
			() => {
				this.pauses.delete(pause);
				this.queue.push({ ...delivery, retries: delivery.retries + 1 });
				this.pump();
			},
			delays[Math.min(delivery.retries, delays.length - 1)],
		);
		this.pauses.add(pause);
	}

	private wake(): void {
		for (const resume of this.waiting.splice(0)) resume();
	}

	/** One attempt. A network error becomes status code 0. */
	private async post({ url, apiKey }: Webhook, body: string): Promise<Answer> {
		const { allowRemoteDeliveries, apiKeyHeader, deliveryTimeoutMs } = this.settings;
		const target = new URL(url);
		if (!allowRemoteDeliveries && !isLoopback(target.hostname)) {
			return { statusCode: 0, reason: 'the sandbox delivers to this machine only' };
		}

		return await new Promise<Answer>((resolve) => {
			const request = (target.protocol === 'https:' ? https : http).request(target, {
				method: 'POST',
				// A new connection for each: a reused one that the receiver has just closed would look like a failure.
				agent: false,
				headers: {
					'content-type': 'application/json',
					'content-length': Buffer.byteLength(body),
					'user-agent': 'partner-payments-sandbox',
					...(apiKeyHeader !== null && apiKey !== '' && { [apiKeyHeader]: apiKey }),
				},
			});
			const timer = setTimeout(
				() => request.destroy(new Error(`no answer within ${deliveryTimeoutMs} ms`)),
				deliveryTimeoutMs,
			);
			const finishDelivery = (answer: Answer): void => {
				clearTimeout(timer);
				this.requests.delete(request);
				resolve(answer);
			};

			this.requests.add(request);
			request.on('error', ({ message }) => finishDelivery({ statusCode: 0, reason: message }));
			request.on('close', () => finishDelivery({ statusCode: 0, reason: 'connection closed' }));
			request.on('response', (response) => {
				response.resume();
				response.on('error', ({ message }) => finishDelivery({ statusCode: 0, reason: message }));
				response.on('end', () => finishDelivery({ statusCode: response.statusCode ?? 0 }));
			});
			request.end(body);
		});
	}
}
