/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- runs beside n8n, not in it */
import { randomUUID } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Clock } from './clock';
import type { SandboxSettings } from './settings';
import type { Business, Webhook } from './state';

/** How deliveries went. */
export interface DeliveryCounters {
	attempts: number;
	/** Deliveries that were answered with a 2xx in the end. */
	succeeded: number;
	/** Deliveries that were given up. */
	failed: number;
	/** Deliveries that are neither. */
	pending: number;
}

interface Delivery {
	business: Business;
	webhook: Webhook;
	payload: unknown;
	retries: number;
	/** The clock as it was when the event happened: it may have been advanced since. */
	aheadMs: number;
}

interface Answer {
	statusCode: number;
	reason?: string;
}

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/i;

/** Whether an address is one of this machine's own. */
export function isLoopback(hostname: string): boolean {
	return loopback.test(hostname);
}

/**
 * Sends events to webhooks (section 6), in order, a bounded number at once. Every attempt leaves a log.
 * Retries, their pauses and the headers are the sandbox's own choice: the service's are not shown.
 */
export class Deliveries {
	private counted: DeliveryCounters = Deliveries.none();
	private queue: Delivery[] = [];
	private underWay = new Set<Delivery>();
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

	/** Sends a payload to a webhook, now and then. */
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

	/** Resolves to true once nothing is pending, to false when that takes longer than allowed. */
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
		// Attempts under way belong to nobody from here on: their outcome is not counted.
		this.underWay = new Set();
		for (const pause of this.pauses) clearTimeout(pause);
		this.pauses.clear();
		for (const request of this.requests) request.destroy();
		this.counted = Deliveries.none();
		this.wake();
	}

	private pump(): void {
		const free = this.settings.deliveryConcurrency - this.underWay.size;
		for (const delivery of this.queue.splice(0, Math.max(0, free))) {
			this.underWay.add(delivery);
			void this.attempt(delivery, this.underWay);
		}
	}

	private async attempt(delivery: Delivery, underWay: Set<Delivery>): Promise<void> {
		const { business, webhook, payload, retries, aheadMs } = delivery;
		const now = () => new Date(Date.now() + aheadMs).toISOString();
		const createdAt = now();
		const startedAt = performance.now();
		const { url } = webhook;
		const { statusCode, reason } = await this.post(webhook, JSON.stringify(payload)).catch(
			// An apiKey, for one, may hold characters that no header can carry.
			({ message }: Error): Answer => ({ statusCode: 0, reason: message }),
		);
		if (underWay !== this.underWay) return;

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
		underWay.delete(delivery);
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

	/** One attempt; what goes wrong on the way becomes an answer with status code 0. */
	private async post({ url, apiKey }: Webhook, body: string): Promise<Answer> {
		const { allowRemoteDeliveries, apiKeyHeader, deliveryTimeoutMs } = this.settings;
		const target = new URL(url);
		if (!allowRemoteDeliveries && !isLoopback(target.hostname)) {
			return { statusCode: 0, reason: 'the sandbox delivers to this machine only' };
		}

		return await new Promise<Answer>((resolve) => {
			const request = (target.protocol === 'https:' ? https : http).request(target, {
				method: 'POST',
				// A connection each: a kept one that its other end just closed would look like a failed attempt.
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
			const settle = (answer: Answer): void => {
				clearTimeout(timer);
				this.requests.delete(request);
				resolve(answer);
			};

			this.requests.add(request);
			request.on('error', ({ message }) => settle({ statusCode: 0, reason: message }));
			request.on('close', () => settle({ statusCode: 0, reason: 'connection closed' }));
			request.on('response', (response) => {
				response.resume();
				response.on('error', ({ message }) => settle({ statusCode: 0, reason: message }));
				response.on('end', () => settle({ statusCode: response.statusCode ?? 0 }));
			});
			request.end(body);
		});
	}
}
