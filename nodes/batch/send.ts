import type { IDataObject } from 'n8n-workflow';

import { toServiceError } from '../service/errors';
import { type UserMessage, userMessage } from '../messages/userMessage';
import type { Service } from '../service/transport';
import { digest } from '../ledger/executionState';
import type { Choose } from '../ledger/ledger';
import { intentOf, noteKnown } from './askLedger';
import { askLogs, needsLogs } from './askLogs';
import { type BatchContext, isCancelled, whyStopped } from './batchContext';
import { attemptAgain, decide } from './decide';
import { materialDigest } from './duplicates';
import type { Facts } from './facts';
import { Limiter, type Permit } from './limiter';
import { purposeChanged } from './limits';
import { notSentResult, type PaymentResult, type Row } from './payment';
import { createdResult, failureResult, remainsUnknownResult, resultOf } from './results';
import { verifyResponse } from './verifyResponse';

/**
 * Pays the open rows: a limited number of requests in flight, each reference claimed in the ledger before its request
 * and sent at most once. Requests that are in flight when the batch stops are waited for, so that every row has a known
 * outcome or is `unknown`.
 * Rows that are not reached get none.
 */
export async function send(batch: BatchContext, open: Facts[]): Promise<void> {
	if (batch.service) await new Sending(batch, batch.service, open).run();
}

class Sending {
	/** Rows whose reference is not claimed yet, and those where it is and sending has not begun. */
	private waiting: Facts[];

	private readonly claimed: Facts[] = [];

	private claiming?: Promise<void>;

	private readonly limiter: Limiter;

	/** 401 responses in a row, each of them after a login that succeeded. */
	private rejectedTokens = 0;

	constructor(
		private readonly batch: BatchContext,
		private readonly service: Service,
		private readonly open: Facts[],
	) {
		this.waiting = [...open];
		this.limiter = new Limiter(batch.options, () => this.isStopped(), batch.state.rateLimit);
	}

	async run(): Promise<void> {
		const { ledger, dailyLimit } = this.batch;
		const requests: Array<Promise<void>> = [];
		while (await this.isNextClaimed()) {
			const permit = await this.limiter.acquire();
			// Only here are payments taken, so that nothing but what is in flight and one chunk is unknown after a kill.
			const facts = permit && this.claimed.shift();
			if (!facts) break;
			const request = this.pay(facts, permit);
			// It is awaited below: until then, an unhandled rejection would end n8n.
			request.catch(() => undefined);
			requests.push(request);
		}
		await Promise.all(requests);
		await this.claiming;
		for (const { row } of this.claimed) {
			dailyLimit?.release(row);
			ledger?.release(row.idempotencyKey);
		}
		// What cannot be removed stays recorded, and counts: one too many, never one too few.
		const flushed = this.flush();
		// After cancelling, n8n stores the execution within moments, and nothing after that
		// (`setupCancellation` in `workflow-execute.js` of n8n-core): the report must not wait.
		if (!isCancelled(this.batch)) await flushed;
	}

	private async flush(): Promise<void> {
		const { ledger, dailyLimit } = this.batch;
		await ledger?.flush().catch(() => undefined);
		await ledger?.entries.trim().catch(() => undefined);
		await dailyLimit?.flush().catch(() => undefined);
	}

	/** Waits until a row is claimed that is to be sent next. False if no further one is to be sent. */
	private async isNextClaimed(): Promise<boolean> {
		for (;;) {
			if (this.isStopped()) return false;
			if (this.claimed.length < this.ahead && this.waiting.length) {
				this.claiming ??= this.claimNext().finally(() => (this.claiming = undefined));
			}
			if (this.claimed.length) return true;
			if (!this.claiming) return false;
			await this.claiming;
		}
	}

	/** How many payments are about to start, and are claimed ahead: meanwhile others start. */
	private get ahead(): number {
		const { limit, room } = this.limiter;
		return Math.max(1, room, Math.min(limit, this.chunkSize / 2));
	}

	private get chunkSize(): number {
		return this.batch.ledger?.entries.chunkSize ?? 0;
	}

	/** Claims the next references, before any of them is sent. */
	private async claimNext(): Promise<void> {
		const { batch } = this;
		const { dailyLimit, options } = batch;
		const size = Math.max(this.chunkSize, this.ahead) - this.claimed.length;
		const chunk = this.waiting.splice(0, size);
		try {
			await this.claim(chunk);
			batch.stopped ??= purposeChanged(batch, chunk);
			const toSend: Facts[] = [];
			for (const facts of chunk) {
				const decision = decide(facts, options);
				if (typeof decision === 'number') toSend.push(facts);
				else facts.result = await resultOf(batch, facts, decision);
			}
			batch.stopped ??= await dailyLimit?.reserve(toSend);
			this.claimed.push(...toSend);
		} catch (error) {
			batch.stopped ??= userMessage('referencesNotRecorded', { reason: (error as Error).message });
			// None is sent any more, and what was recorded is released at the end.
			this.claimed.push(...chunk);
		}
	}

	/** Claims the rows that are still to be sent, after what the ledger now knows of them. */
	private async claim(chunk: Facts[]): Promise<void> {
		const { batch } = this;
		const { ledger, options } = batch;
		if (!ledger) return;
		const intents = chunk.map((facts) => intentOf(batch, facts));
		let isUnasked = false;
		const choose: Choose = (known) => {
			noteKnown(batch, chunk, known);
			isUnasked = needsLogs(batch, chunk);
			const attempts = new Map<string, number>();
			for (const facts of isUnasked ? [] : chunk) {
				const decision = decide(facts, options);
				if (typeof decision === 'number') attempts.set(facts.row.idempotencyKey, decision);
			}
			return attempts;
		};
		await ledger.claim(intents, choose);
		if (!isUnasked) return;
		// The ledger does not know enough: the logs are asked first.
		await askLogs(batch, this.open);
		if (!batch.rejection) await ledger.claim(intents, choose);
	}

	private async pay(facts: Facts, permit: Permit): Promise<void> {
		try {
			facts.result = await this.payRow(facts, permit);
			// Many answers may come at once.
			await this.batch.yieldNow();
		} finally {
			this.limiter.release(permit);
		}
	}

	private async payRow(facts: Facts, permit: Permit): Promise<PaymentResult> {
		const { state, ledger, dailyLimit, continueOnFail } = this.batch;
		const { row, sentHere } = facts;
		const mayExist = (facts.ledger !== undefined && facts.ledger.reads !== 'none') || !!sentHere;
		const result = await this.request(facts, permit);
		if (result.outcome === 'created') {
			ledger?.prove(row.idempotencyKey);
			return result;
		}
		if (result.outcome !== 'unknown') dailyLimit?.release(row);

		// The service may reject it now because the earlier attempt did create it. That is no new failure.
		const isRejected = result.outcome === 'rejected' || result.httpStatus === 409;
		if (!continueOnFail && !(mayExist && isRejected)) {
			this.stop(whyStopped(this.batch) ?? userMessage('earlierItemFailed'));
		}
		if (mayExist) {
			// It was not paid again, so the values of the earlier attempt still count.
			if (isRejected || result.outcome === 'notSent') ledger?.release(row.idempotencyKey);
			return remainsUnknownResult(result);
		}
		if (result.outcome !== 'unknown') {
			state.forget(row.idempotencyKey);
			ledger?.release(row.idempotencyKey);
		}
		return result;
	}

	private async request(facts: Facts, permit: Permit): Promise<PaymentResult> {
		const { endpoint, options, state } = this.batch;
		const { row } = facts;
		const { reference, idempotencyKey, body, itemIndex: item } = row;
		state.sending(idempotencyKey, {
			reference,
			item,
			requestDigest: digest(body),
			material: materialDigest(endpoint, row),
			money: facts.money,
			attempt: attemptAgain(facts, options) ?? 0,
		});
		for (let tries = 1; ; tries++) {
			try {
				const answer = await this.service.request({ method: 'POST', path: endpoint.path, body });
				this.limiter.accepted(permit);
				this.rejectedTokens = 0;
				return await this.verified(row, answer);
			} catch (error) {
				const failure = toServiceError(error);
				// Each further row would try the login again.
				if (failure.isLogin) this.stop(failure);
				this.rejectedTokens = failure.status === 401 ? this.rejectedTokens + 1 : 0;
				if (this.rejectedTokens === MAX_REJECTED_TOKENS)
					this.stop({ ...userMessage('tokensRejected'), failure: failure.failure });
				// A 429 rejects the request: nothing was created, so sending it again is safe.
				if (failure.status !== 429) {
					if (failure.isOutage) this.limiter.failed(failure.retryAfterMs);
					return failureResult(reference, failure);
				}
				if (!this.limiter.rejected(permit, failure.retryAfterMs)) {
					this.stop({ ...userMessage('rateLimited'), failure: failure.failure });
					return failureResult(reference, failure);
				}
				if (tries === MAX_TRIES) return failureResult(reference, failure);
			}
			if (!(await this.limiter.retry(permit)))
				return notSentResult(row, whyStopped(this.batch) ?? userMessage('cancelled'));
		}
	}

	private async verified(row: Row, answer: unknown): Promise<PaymentResult> {
		const { context, endpoint, state } = this.batch;
		const unverified = verifyResponse(endpoint, state, row, answer);
		if (unverified) return { reference: row.reference, ...unverified };
		const { transactionId } = endpoint.created(answer as IDataObject) ?? { transactionId: '' };
		state.created(row.idempotencyKey, transactionId, answer as IDataObject);
		return await createdResult(context, endpoint, row, answer as IDataObject);
	}

	/** The first reason counts. */
	private stop(reason: UserMessage): void {
		this.batch.stopped ??= reason;
	}

	private isStopped(): boolean {
		return whyStopped(this.batch) !== undefined;
	}
}

/**
 * A service that accepts other payments meanwhile rejects this one for another reason than the rate. With a limit per
 * minute, one may have bad luck for two minutes.
 */
const MAX_TRIES = 20;

/** One 401 may be temporary. After so many the batch stops, or each row would cause another login. */
const MAX_REJECTED_TOKENS = 3;
