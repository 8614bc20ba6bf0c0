import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ExecutionState } from '../state/executionState';
import type { IdempotencyStore } from '../state/idempotencyStore';
import { toServiceError, type ServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import { verifyResponse } from './verifyResponse';
import type { MoneyEndpoint } from './endpoint';
import { payeeAndAmountKey } from './duplicates';
import { LOOK_UP, userMessage } from './messages';
import type { BatchOptions } from './options';
import { RateLimiter } from './rateLimiter';
import {
	finish,
	finishNotSent,
	type CreatedResult,
	type FinishedPayment,
	type UnpaidResult,
	type OpenPayment,
	type Refusal,
	type Result,
	type Row,
} from './payment';
import { createdResult, mayPayAgain, alreadySentResult, lookUpAlreadySent } from './alreadySent';

/** What sending needs. */
export interface SendContext {
	context: IExecuteFunctions;
	endpoint: MoneyEndpoint;
	options: BatchOptions;
	service: Service;
	memory: ExecutionState;
	/** The same, where an AI agent calls the node as a tool. */
	agent?: ExecutionState;
	/** Left out where sent references are not remembered. */
	sent?: IdempotencyStore;
	/** Stop after the first row that is not created; otherwise all rows are tried. */
	stopOnFault: boolean;
}

/**
 * The stage that pays: at most `concurrency` requests at once, each reference written down before and
 * sent at most once. What is under way when the batch stops is waited for, so that every row ends in a
 * known outcome or in `unknown`.
 *
 * @returns every payment, ended, in their order
 */
export async function send(open: OpenPayment[], parts: SendContext): Promise<FinishedPayment[]> {
	return await new Sending(open, parts).run();
}

class Sending {
	private readonly finished = new Map<OpenPayment, FinishedPayment>();

	/** Payments whose reference is not written down yet, and those where it is and sending has not begun. */
	private waiting: OpenPayment[];

	private readonly recorded: OpenPayment[] = [];

	private recording?: Promise<void>;

	/** References that may exist already, and are sent again because a person said so. */
	private readonly previouslySent = new Set<string>();

	/** Why no further row is sent. */
	private stopped?: Refusal;

	private readonly rateLimiter: RateLimiter;

	/** 401 answers since the last one of another kind, each of them after a login that succeeded. */
	private rejectedTokens = 0;

	constructor(
		private readonly open: OpenPayment[],
		private readonly batch: SendContext,
	) {
		this.waiting = [...open];
		this.rateLimiter = new RateLimiter(batch.options.requestsPerSecond);
	}

	async run(): Promise<FinishedPayment[]> {
		const worker = async () => {
			for (let payment = await this.next(); payment; payment = await this.next()) {
				this.finished.set(payment, finish(payment, await this.pay(payment.row)));
			}
		};
		const { concurrency } = this.batch.options;
		await Promise.all(Array.from({ length: Math.min(concurrency, this.open.length) }, worker));
		await this.recording;
		for (const { row } of this.recorded) {
			if (!this.previouslySent.has(row.idempotencyKey)) this.batch.sent?.forget(row.idempotencyKey);
		}
		// What is not written now stays remembered: a row too many, never one too few.
		const settled = this.batch.sent?.flush().catch(() => undefined);
		// After cancelling, n8n stores the execution within moments, and nothing after that
		// (`setupCancellation` in `workflow-execute.js` of n8n-core): the report must not wait.
		if (!this.isCancelled()) await settled;
		const { memory, options, sent } = this.batch;
		const held = this.open.filter((payment) => !this.finished.has(payment)).map(({ row }) => row);
		const asked = held.length && this.isCancelled() ? undefined : sent;
		const earlier = await lookUpAlreadySent(held, memory, asked, options);
		return this.open.map(
			(payment) => this.finished.get(payment) ?? this.finishUnsent(payment, earlier(payment.row)),
		);
	}

	private finishUnsent(payment: OpenPayment, earlier: UnpaidResult | undefined): FinishedPayment {
		const { row } = payment;
		const result =
			earlier ??
			(this.previouslySent.has(row.idempotencyKey) && alreadySentResult(row, this.batch.options));
		return result
			? finish(payment, result)
			: finishNotSent(payment, this.stopped ?? userMessage('cancelled'));
	}

	/** The next payment whose reference is written down; nothing when no further one is to be sent. */
	private async next(): Promise<OpenPayment | undefined> {
		for (;;) {
			if (this.isStopped()) return undefined;
			if (this.recorded.length < this.batch.options.concurrency && this.waiting.length) {
				this.recording ??= this.recordNext().finally(() => (this.recording = undefined));
			}
			const payment = this.recorded.shift();
			if (payment) return payment;
			if (!this.recording) return undefined;
			await this.recording;
		}
	}

	/** Writes the next references down, before any of them is sent. */
	private async recordNext(): Promise<void> {
		const { sent, options } = this.batch;
		const chunk = this.waiting.splice(0, Math.max(sent?.chunkSize ?? 0, options.concurrency));
		try {
			const known = await sent?.record(chunk.map(({ row }) => row.idempotencyKey));
			const again = chunk.filter(
				({ row }) => known?.has(row.idempotencyKey) && mayPayAgain(options, row),
			);
			await sent?.recordAgain(again.map(({ row }) => row.idempotencyKey));
			// Another execution has sent it since this one asked.
			if (options.ifAlreadySent === 'stop' && known?.size)
				this.stopped ??= userMessage('referencesAlreadySent');
			for (const payment of chunk) {
				if (known?.has(payment.row.idempotencyKey) && !mayPayAgain(options, payment.row)) {
					this.finished.set(payment, finish(payment, alreadySentResult(payment.row, options)));
				} else this.recorded.push(payment);
				if (known?.has(payment.row.idempotencyKey))
					this.previouslySent.add(payment.row.idempotencyKey);
			}
		} catch (error) {
			this.stopped ??= userMessage('referencesNotRecorded', { reason: (error as Error).message });
		}
	}

	private async pay(row: Row): Promise<Result> {
		const { memory, sent, stopOnFault } = this.batch;
		const mayExist =
			this.previouslySent.has(row.idempotencyKey) || memory.get(row.idempotencyKey) !== undefined;
		const result = await this.request(row);
		if (result.outcome === 'created') return result;

		// The service may refuse it now because the earlier attempt did create it. That is no new fault.
		const isRefused = result.outcome === 'rejected' || result.httpStatus === 409;
		if (stopOnFault && !(mayExist && isRefused)) {
			this.stopped ??= userMessage(this.isCancelled() ? 'cancelled' : 'earlierItemFailed');
		}
		if (mayExist) return remainsUnknown(result);
		if (result.outcome !== 'unknown') {
			memory.forget(row.idempotencyKey);
			sent?.forget(row.idempotencyKey);
		}
		return result;
	}

	private async request(row: Row): Promise<CreatedResult | UnpaidResult> {
		const { agent, endpoint, memory, service } = this.batch;
		const { reference, idempotencyKey: key, body, itemIndex } = row;
		for (;;) {
			const turn = await this.rateLimiter.acquire(() => this.isStopped());
			if (!turn) {
				return { ...(this.stopped ?? userMessage('cancelled')), outcome: 'notSent', reference };
			}
			const likeness = agent && payeeAndAmountKey(endpoint, row);
			memory.sending(key, itemIndex, { reference, body, likeness });
			try {
				const answer = await service.request({ method: 'POST', path: endpoint.path, body });
				this.rateLimiter.succeeded();
				this.rejectedTokens = 0;
				return await this.verified(row, answer);
			} catch (error) {
				const fault = toServiceError(error);
				if (fault.isLogin) this.stopForLogin(fault);
				this.rejectedTokens = fault.status === 401 ? this.rejectedTokens + 1 : 0;
				if (this.rejectedTokens === MAX_REJECTED_TOKENS)
					this.stopped ??= userMessage('tokensRejected');
				// A 429 is a refusal: nothing was created, so sending again is safe.
				if (fault.status !== 429) return failureResult(reference, fault);
				if (!this.rateLimiter.backOff(turn, fault.retryAfterMs)) {
					this.stopped ??= userMessage('rateLimited');
					return failureResult(reference, fault);
				}
			} finally {
				this.rateLimiter.release(turn);
			}
		}
	}

	/** Ends the batch because there is no login. */
	private stopForLogin({ code, message, hint, status }: ServiceError): void {
		const { memory, service } = this.batch;
		this.stopped ??= { code, message, hint };
		// A refused login is remembered, so that the runs of a loop and Retry On Fail do not try it again.
		if (status !== undefined) memory.loginRejected(service.account, { code, message });
	}

	private async verified(row: Row, answer: unknown): Promise<CreatedResult | UnpaidResult> {
		const { context, endpoint, memory } = this.batch;
		const doubt = verifyResponse(endpoint, memory, row, answer);
		if (doubt) return doubt;
		const { transactionId } = endpoint.created(answer as IDataObject) ?? { transactionId: '' };
		memory.created(row.idempotencyKey, transactionId, answer as IDataObject);
		return await createdResult(context, endpoint, row, answer as IDataObject);
	}

	private isStopped(): boolean {
		return this.stopped !== undefined || this.isCancelled();
	}

	private isCancelled(): boolean {
		return this.batch.context.getExecutionCancelSignal()?.aborted === true;
	}
}

/** One 401 may be a passing fault. After so many the batch stops, or each row would cause another login. */
const MAX_REJECTED_TOKENS = 3;

function failureResult(reference: string, fault: ServiceError): UnpaidResult {
	return {
		outcome: fault.outcome,
		code: fault.code,
		reference,
		message: fault.message,
		hint: fault.outcome === 'unknown' ? LOOK_UP : fault.hint,
		httpStatus: fault.status,
	};
}

function remainsUnknown(result: UnpaidResult): UnpaidResult {
	return { ...result, ...userMessage('remainsUnknown', { said: result.message }) };
}
