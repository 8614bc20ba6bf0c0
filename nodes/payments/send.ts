import type { IDataObject } from 'n8n-workflow';

import { toServiceError, type ServiceError } from '../service/errors';
import type { UserMessage } from '../service/messages';
import type { Service } from '../service/transport';
import { type BatchContext, isCancelled, type Stage } from './batchContext';
import { payeeAndAmountKey } from './duplicates';
import { userMessage } from './messages';
import { Concurrency } from './concurrency';
import { RateLimiter } from './rateLimiter';
import {
	finish,
	finishNotSent,
	type CreatedResult,
	type FinishedPayment,
	type OpenPayment,
	type PaymentResult,
	type Row,
	type UnpaidResult,
} from './payment';
import { alreadySentResult, createdResult, failureResult, remainsUnknownResult } from './results';
import { finishHeld, mayPayAgain } from './skipAlreadySent';
import { verifyResponse } from './verifyResponse';

/**
 * The stage that pays: a limited number of requests in flight, each reference recorded before its request
 * and sent at most once. Requests that are in flight when the batch stops are waited for, so that every row
 * has a known outcome or is `unknown`.
 */
export const send: Stage = async (batch, open) => {
	const { service } = batch;
	return service ? await new Sending({ ...batch, service }, open).run() : open;
};

class Sending {
	private readonly finished = new Map<OpenPayment, FinishedPayment>();

	/** Payments whose reference is not recorded yet, and those where it is and sending has not begun. */
	private waiting: OpenPayment[];

	private readonly recorded: OpenPayment[] = [];

	private recording?: Promise<void>;

	/** References that were recorded before: they may exist, and are paid again only if the user asked for it. */
	private readonly previouslySent = new Set<string>();

	/** Why no further row is sent. */
	private stopped?: UserMessage;

	private readonly concurrency: Concurrency;

	private readonly rateLimiter: RateLimiter;

	/** 401 responses in a row, each of them after a login that succeeded. */
	private rejectedTokens = 0;

	constructor(
		private readonly batch: BatchContext & { service: Service },
		private readonly open: OpenPayment[],
	) {
		this.waiting = [...open];
		const { concurrency, requestsPerSecond } = batch.options;
		this.concurrency = new Concurrency(concurrency);
		this.rateLimiter = new RateLimiter(requestsPerSecond, this.concurrency);
	}

	async run(): Promise<FinishedPayment[]> {
		const worker = async () => {
			for (let payment = await this.next(); payment; payment = await this.next()) {
				this.finished.set(payment, finish(payment, await this.pay(payment.row)));
			}
		};
		const { max } = this.concurrency;
		await Promise.all(Array.from({ length: Math.min(max, this.open.length) }, worker));
		await this.recording;
		const { store } = this.batch;
		for (const { row } of this.recorded) {
			if (!this.previouslySent.has(row.idempotencyKey)) store?.forget(row.idempotencyKey);
		}
		// A reference that cannot be removed stays recorded: one too many, never one too few.
		const flushed = store?.flush().catch(() => undefined);
		// After cancelling, n8n stores the execution within moments, and nothing after that
		// (`setupCancellation` in `workflow-execute.js` of n8n-core): the report must not wait.
		const isLate = isCancelled(this.batch);
		if (!isLate) await flushed;
		const held = this.open.filter((payment) => !this.finished.has(payment));
		const finished = await finishHeld(
			isLate ? { ...this.batch, store: undefined } : this.batch,
			held,
			(payment) => this.finishUnsent(payment),
		);
		held.forEach((payment, index) => this.finished.set(payment, finished[index]));
		return this.open.flatMap((payment) => this.finished.get(payment) ?? []);
	}

	private finishUnsent(payment: OpenPayment): FinishedPayment {
		const { row } = payment;
		return this.previouslySent.has(row.idempotencyKey)
			? finish(payment, alreadySentResult(row, this.batch.options))
			: finishNotSent(payment, this.stopped ?? userMessage('cancelled'));
	}

	/** The next payment whose reference is recorded; undefined if no further one is to be sent. */
	private async next(): Promise<OpenPayment | undefined> {
		for (;;) {
			if (this.isStopped()) return undefined;
			if (this.recorded.length < this.concurrency.max && this.waiting.length) {
				this.recording ??= this.recordNext().finally(() => (this.recording = undefined));
			}
			const payment = this.recorded.shift();
			if (payment) return payment;
			if (!this.recording) return undefined;
			await this.recording;
		}
	}

	/** Records the next references, before any of them is sent. */
	private async recordNext(): Promise<void> {
		const { store, options } = this.batch;
		const chunk = this.waiting.splice(0, Math.max(store?.chunkSize ?? 0, this.concurrency.max));
		try {
			const known = await store?.record(chunk.map(({ row }) => row.idempotencyKey));
			const isKnown = ({ row }: OpenPayment) => known?.has(row.idempotencyKey) === true;
			const again = chunk.filter(
				(payment) => isKnown(payment) && mayPayAgain(options, payment.row),
			);
			await store?.recordAgain(again.map(({ row }) => row.idempotencyKey));
			// Another execution has sent it since this one asked.
			if (options.ifAlreadySent === 'stop' && known?.size)
				this.stopped ??= userMessage('referencesAlreadySent');
			for (const payment of chunk) {
				const { row } = payment;
				if (isKnown(payment)) this.previouslySent.add(row.idempotencyKey);
				if (isKnown(payment) && !mayPayAgain(options, row))
					this.finished.set(payment, finish(payment, alreadySentResult(row, options)));
				else this.recorded.push(payment);
			}
		} catch (error) {
			this.stopped ??= userMessage('referencesNotRecorded', { reason: (error as Error).message });
		}
	}

	private async pay(row: Row): Promise<PaymentResult> {
		const { state, store, continueOnFail } = this.batch;
		const mayExist =
			this.previouslySent.has(row.idempotencyKey) || state.get(row.idempotencyKey) !== undefined;
		const result = await this.request(row);
		if (result.outcome === 'created') return result;

		// The service may reject it now because the earlier attempt did create it. That is no new failure.
		const isRejected = result.outcome === 'rejected' || result.httpStatus === 409;
		if (!continueOnFail && !(mayExist && isRejected)) {
			this.stopped ??= userMessage(isCancelled(this.batch) ? 'cancelled' : 'earlierItemFailed');
		}
		if (mayExist) return remainsUnknownResult(result);
		if (result.outcome !== 'unknown') {
			state.forget(row.idempotencyKey);
			store?.forget(row.idempotencyKey);
		}
		return result;
	}

	private async request(row: Row): Promise<CreatedResult | UnpaidResult> {
		const { isTool, endpoint, state, service } = this.batch;
		const { reference, idempotencyKey, body, cells, itemIndex } = row;
		for (;;) {
			const permit = await this.rateLimiter.acquire(() => this.isStopped());
			if (!permit) {
				return { ...(this.stopped ?? userMessage('cancelled')), outcome: 'notSent', reference };
			}
			const payeeAndAmount = isTool ? payeeAndAmountKey(endpoint, row) : undefined;
			state.sending(idempotencyKey, itemIndex, { reference, body, payeeAndAmount, cells });
			try {
				const answer = await service.request({ method: 'POST', path: endpoint.path, body });
				this.rateLimiter.succeeded(permit);
				this.rejectedTokens = 0;
				return await this.verified(row, answer);
			} catch (error) {
				const failure = toServiceError(error);
				if (failure.isLogin) this.stopForLogin(failure);
				if (failure.isOutage) this.rateLimiter.overloaded(permit);
				this.rejectedTokens = failure.status === 401 ? this.rejectedTokens + 1 : 0;
				if (this.rejectedTokens === MAX_REJECTED_TOKENS)
					this.stopped ??= userMessage('tokensRejected');
				// A 429 rejects the request: nothing was created, so sending it again is safe.
				if (failure.status !== 429) return failureResult(reference, failure);
				if (!this.rateLimiter.backOff(permit, failure.retryAfterMs)) {
					this.stopped ??= userMessage('rateLimited');
					return failureResult(reference, failure);
				}
			} finally {
				this.rateLimiter.release(permit);
			}
		}
	}

	/** Stops the batch because there is no login. */
	private stopForLogin({ code, message, hint, status }: ServiceError): void {
		const { state, service } = this.batch;
		this.stopped ??= { code, message, hint };
		// A rejected login is remembered, so that the runs of a loop and Retry On Fail do not try it again.
		if (status !== undefined) state.loginRejected(service.account, { code, message });
	}

	private async verified(row: Row, answer: unknown): Promise<CreatedResult | UnpaidResult> {
		const { context, endpoint, state } = this.batch;
		const unverified = verifyResponse(endpoint, state, row, answer);
		if (unverified) return unverified;
		const { transactionId } = endpoint.created(answer as IDataObject) ?? { transactionId: '' };
		state.created(row.idempotencyKey, transactionId, answer as IDataObject);
		return await createdResult(context, endpoint, row, answer as IDataObject);
	}

	private isStopped(): boolean {
		return this.stopped !== undefined || isCancelled(this.batch);
	}
}

/** One 401 may be temporary. After so many the batch stops, or each row would cause another login. */
const MAX_REJECTED_TOKENS = 3;
