import type { IDataObject } from 'n8n-workflow';

import { toServiceError, type ServiceError } from '../service/errors';
import type { UserMessage } from '../service/messages';
import type { Service } from '../service/transport';
import type { Known } from '../ledger/idempotencyStore';
import { type BatchContext, isCancelled, type Stage } from './batchContext';
import { payeeAndAmountKey } from './duplicates';
import { heldBack } from './heldBack';
import { userMessage } from './messages';
import { Limiter, START, type Permit } from './limiter';
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
import { createdResult, failureResult, remainsUnknownResult } from './results';
import { finishHeld, intentOf, mayPayAgain, sentEarlier } from './skipAlreadySent';
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

	private readonly limiter: Limiter;

	/** 401 responses in a row, each of them after a login that succeeded. */
	private rejectedTokens = 0;

	constructor(
		private readonly batch: BatchContext & { service: Service },
		private readonly open: OpenPayment[],
	) {
		this.waiting = [...open];
		this.limiter = new Limiter(batch.options, () => this.isStopped(), batch.state.rateLimit);
	}

	async run(): Promise<FinishedPayment[]> {
		const { store, dailyLimit } = this.batch;
		const requests: Array<Promise<void>> = [];
		while (await this.isNextRecorded()) {
			const permit = await this.limiter.acquire();
			// Only here are payments taken, so that nothing but what is in flight and one chunk is unknown after a kill.
			const payment = permit && this.recorded.shift();
			if (!payment) break;
			const request = this.pay(payment, permit);
			// It is awaited below: until then, an unhandled rejection would end n8n.
			request.catch(() => undefined);
			requests.push(request);
		}
		await Promise.all(requests);
		await this.recording;
		for (const { row } of this.recorded) dailyLimit?.release(row);
		for (const { row } of this.recorded) store?.forget(row.idempotencyKey);
		// What cannot be removed stays recorded, and counts: one too many, never one too few.
		const flushed = this.flush();
		// After cancelling, n8n stores the execution within moments, and nothing after that
		// (`setupCancellation` in `workflow-execute.js` of n8n-core): the report must not wait.
		const isLate = isCancelled(this.batch);
		if (!isLate) await flushed;
		const held = await finishHeld(
			isLate ? { ...this.batch, store: undefined } : this.batch,
			this.open.filter((payment) => !this.finished.has(payment)),
			(payment) => this.finishUnsent(payment),
		);
		return [...this.finished.values(), ...held];
	}

	private async flush(): Promise<void> {
		const { store, dailyLimit } = this.batch;
		await store?.flush().catch(() => undefined);
		await dailyLimit?.flush().catch(() => undefined);
	}

	private finishUnsent(payment: OpenPayment): FinishedPayment {
		const { row } = payment;
		const known = this.batch.known.get(row);
		return known && this.previouslySent.has(row.idempotencyKey)
			? finish(payment, sentEarlier(this.batch, row, known))
			: finishNotSent(payment, this.stopped ?? userMessage('cancelled'));
	}

	/** Waits until a payment is recorded that is to be sent next. False if no further one is to be sent. */
	private async isNextRecorded(): Promise<boolean> {
		for (;;) {
			if (this.isStopped()) return false;
			if (this.recorded.length < this.ahead && this.waiting.length) {
				this.recording ??= this.recordNext().finally(() => (this.recording = undefined));
			}
			if (this.recorded.length) return true;
			if (!this.recording) return false;
			await this.recording;
		}
	}

	/** How many payments are about to start, and are recorded ahead. */
	private get ahead(): number {
		const { limit, room } = this.limiter;
		return Math.max(Math.min(START, limit), room);
	}

	/** Records the next references, before any of them is sent. */
	private async recordNext(): Promise<void> {
		const { store, dailyLimit, options } = this.batch;
		const size = Math.max(store?.chunkSize ?? 0, this.ahead) - this.recorded.length;
		const chunk = this.waiting.splice(0, size);
		try {
			const intentsOf = ({ row }: OpenPayment) => intentOf(this.batch, row);
			const known = await store?.record(
				chunk.map(intentsOf),
				async (found) => await this.choose(chunk, found),
			);
			const again = new Set(
				chunk.filter(({ row }) => {
					const one = known?.get(row.idempotencyKey);
					if (one === undefined || !mayPayAgain(options, row, one)) return false;
					return one.earlier !== 'none' || (this.isRequested(row) && this.isNew(row, known));
				}),
			);
			// The number of a request counts, also if the store does not know the reference: it is paid once.
			for (const { row } of again) {
				const one = known?.get(row.idempotencyKey);
				const number = options.referencesToPayAgain.get(row.idempotencyKey) ?? 1;
				if (one?.earlier === 'none')
					known?.set(row.idempotencyKey, { ...one, lastTime: Math.max(one.lastTime, number - 1) });
			}
			const toSend = chunk.filter(
				(payment) => again.has(payment) || this.isNew(payment.row, known),
			);
			const above = await dailyLimit?.reserve(toSend.map(({ row }) => row));
			this.stopped ??= above;
			const late = known && !above && (await store?.recordAgain([...again].map(intentsOf), known));
			for (const payment of again) {
				// Another execution has had it paid again since this one asked.
				const one = late ? late.get(payment.row.idempotencyKey) : undefined;
				if (!one) continue;
				known?.set(payment.row.idempotencyKey, one);
				again.delete(payment);
				dailyLimit?.release(payment.row);
			}
			for (const payment of chunk) {
				const { row } = payment;
				const one = known?.get(row.idempotencyKey);
				if (one) this.batch.known.set(row, one);
				const isSent = one !== undefined && one.earlier !== 'none';
				if (isSent) this.previouslySent.add(row.idempotencyKey);
				// Another execution has sent it since this one asked.
				if (isSent && options.ifAlreadySent === 'stop')
					this.stopped ??= userMessage('referencesAlreadySent');
				const held = isSent ? undefined : heldBack(this.batch, row, one);
				if (isSent && !again.has(payment))
					this.finished.set(payment, finish(payment, sentEarlier(this.batch, row, one)));
				else if (held) this.finished.set(payment, finishNotSent(payment, held, 'invalidRow'));
				else this.recorded.push(payment);
			}
		} catch (error) {
			for (const { row } of chunk) {
				dailyLimit?.release(row);
				store?.forget(row.idempotencyKey);
			}
			this.stopped ??= userMessage('referencesNotRecorded', { reason: (error as Error).message });
		}
	}

	/** The new payments that are sent, of those that the store was asked for. */
	private async choose(
		chunk: OpenPayment[],
		known: ReadonlyMap<string, Known>,
	): Promise<Set<string>> {
		return await Promise.resolve(
			new Set(
				chunk.flatMap(({ row }) =>
					this.isNew(row, known) && !this.isRequested(row) ? row.idempotencyKey : [],
				),
			),
		);
	}

	/** Whether a person named its reference to be paid again. It is then recorded under the number of the request. */
	private isRequested({ idempotencyKey }: Row): boolean {
		return this.batch.options.referencesToPayAgain.has(idempotencyKey);
	}

	/** Whether a row was never sent, and is not held back. */
	private isNew(row: Row, known: ReadonlyMap<string, Known> | undefined): boolean {
		const one = known?.get(row.idempotencyKey);
		return one?.earlier === 'none' && !heldBack(this.batch, row, one);
	}

	private async pay(payment: OpenPayment, permit: Permit): Promise<void> {
		try {
			this.finished.set(payment, finish(payment, await this.payRow(payment.row, permit)));
			// Many answers may come at once.
			await this.batch.yieldNow();
		} finally {
			this.limiter.release(permit);
		}
	}

	private async payRow(row: Row, permit: Permit): Promise<PaymentResult> {
		const { state, store, dailyLimit, continueOnFail } = this.batch;
		const mayExist =
			this.previouslySent.has(row.idempotencyKey) || state.get(row.idempotencyKey) !== undefined;
		const result = await this.request(row, permit);
		if (result.outcome === 'created') return result;
		if (result.outcome !== 'unknown') dailyLimit?.release(row);

		// The service may reject it now because the earlier attempt did create it. That is no new failure.
		const isRejected = result.outcome === 'rejected' || result.httpStatus === 409;
		if (!continueOnFail && !(mayExist && isRejected)) {
			this.stopped ??= userMessage(isCancelled(this.batch) ? 'cancelled' : 'earlierItemFailed');
		}
		if (mayExist) {
			// It was not paid again, so the values of the earlier attempt still count.
			const isAgain = this.previouslySent.has(row.idempotencyKey);
			if (isAgain && (isRejected || result.outcome === 'notSent'))
				store?.forget(row.idempotencyKey);
			return remainsUnknownResult(result);
		}
		if (result.outcome !== 'unknown') {
			state.forget(row.idempotencyKey);
			store?.forget(row.idempotencyKey);
		}
		return result;
	}

	private async request(row: Row, permit: Permit): Promise<CreatedResult | UnpaidResult> {
		const { endpoint, state, service, isTool } = this.batch;
		const { reference, idempotencyKey, body, cells, itemIndex } = row;
		const { digest, duplicateKey } = intentOf(this.batch, row);
		const sending = {
			reference,
			body,
			material: digest,
			// Only an agent makes up references.
			...(isTool && { payeeAndAmount: payeeAndAmountKey(endpoint, row) }),
			duplicateKey,
			money: endpoint.amount(row.values),
			...(cells !== undefined && { cells }),
			isPaidAgain: this.previouslySent.has(idempotencyKey),
		};
		for (let tries = 1; ; tries++) {
			state.sending(idempotencyKey, itemIndex, sending);
			try {
				const answer = await service.request({ method: 'POST', path: endpoint.path, body });
				this.limiter.accepted(permit);
				this.rejectedTokens = 0;
				return await this.verified(row, answer);
			} catch (error) {
				const failure = toServiceError(error);
				if (failure.isLogin) this.stopForLogin(failure);
				this.rejectedTokens = failure.status === 401 ? this.rejectedTokens + 1 : 0;
				if (this.rejectedTokens === MAX_REJECTED_TOKENS)
					this.stopped ??= { ...userMessage('tokensRejected'), failure: failure.failure };
				// A 429 rejects the request: nothing was created, so sending it again is safe.
				if (failure.status !== 429) {
					if (failure.isOutage) this.limiter.failed(failure.retryAfterMs);
					return failureResult(reference, failure);
				}
				if (!this.limiter.rejected(permit, failure.retryAfterMs)) {
					this.stopped ??= { ...userMessage('rateLimited'), failure: failure.failure };
					return failureResult(reference, failure);
				}
				if (tries === MAX_TRIES) return failureResult(reference, failure);
			}
			if (!(await this.limiter.retry(permit))) {
				return { ...(this.stopped ?? userMessage('cancelled')), outcome: 'notSent', reference };
			}
		}
	}

	/** Stops the batch because there is no login. */
	private stopForLogin({ code, message, hint, status, failure }: ServiceError): void {
		const { state, service } = this.batch;
		this.stopped ??= { code, message, hint, failure };
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

/**
 * A service that accepts other payments meanwhile rejects this one for another reason than the rate. With a limit per
 * minute, one may have bad luck for two minutes.
 */
const MAX_TRIES = 20;

/** One 401 may be temporary. After so many the batch stops, or each row would cause another login. */
const MAX_REJECTED_TOKENS = 3;
