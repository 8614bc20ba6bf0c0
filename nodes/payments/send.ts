import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ExecutionMemory } from '../memory/executionMemory';
import type { SentReferences } from '../memory/sentReferences';
import { toServiceError, type ServiceError } from '../service/errors';
import type { Service } from '../service/transport';
import { doubtOf } from './doubt';
import type { MoneyEndpoint } from './endpoint';
import { agentLikeness } from './figures';
import { LOOK_UP, tell } from './messages';
import type { BatchOptions } from './options';
import { Pace } from './pace';
import {
	end,
	endNotSent,
	type CreatedPayment,
	type EndedPayment,
	type NotPaid,
	type OpenPayment,
	type Refusal,
	type Result,
	type Row,
} from './payment';
import { createdResult, maySendAgain, sentBefore, sentEarlier } from './settle';

/** What sending needs. */
export interface SendContext {
	context: IExecuteFunctions;
	endpoint: MoneyEndpoint;
	options: BatchOptions;
	service: Service;
	memory: ExecutionMemory;
	/** The same, where an AI agent calls the node as a tool. */
	agent?: ExecutionMemory;
	/** Left out where sent references are not remembered. */
	sent?: SentReferences;
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
export async function send(open: OpenPayment[], parts: SendContext): Promise<EndedPayment[]> {
	return await new Sending(open, parts).run();
}

class Sending {
	private readonly ended = new Map<OpenPayment, EndedPayment>();

	/** Payments whose reference is not written down yet, and those where it is and sending has not begun. */
	private waiting: OpenPayment[];

	private readonly cleared: OpenPayment[] = [];

	private writing?: Promise<void>;

	/** References that may exist already, and are sent again because a person said so. */
	private readonly remembered = new Set<string>();

	/** Why no further row is sent. */
	private stopped?: Refusal;

	private readonly pace: Pace;

	/** 401 answers since the last one of another kind, each of them after a login that succeeded. */
	private tokensRefused = 0;

	constructor(
		private readonly open: OpenPayment[],
		private readonly parts: SendContext,
	) {
		this.waiting = [...open];
		this.pace = new Pace(parts.options.requestsPerSecond);
	}

	async run(): Promise<EndedPayment[]> {
		const worker = async () => {
			for (let payment = await this.next(); payment; payment = await this.next()) {
				this.ended.set(payment, end(payment, await this.pay(payment.row)));
			}
		};
		const { concurrency } = this.parts.options;
		await Promise.all(Array.from({ length: Math.min(concurrency, this.open.length) }, worker));
		await this.writing;
		for (const { row } of this.cleared) {
			if (!this.remembered.has(row.key)) this.parts.sent?.forget(row.key);
		}
		// What is not written now stays remembered: a row too many, never one too few.
		const settled = this.parts.sent?.settle().catch(() => undefined);
		// After cancelling, n8n stores the execution within moments, and nothing after that
		// (`setupCancellation` in `workflow-execute.js` of n8n-core): the report must not wait.
		if (!this.isCancelled()) await settled;
		const { memory, options, sent } = this.parts;
		const held = this.open.filter((payment) => !this.ended.has(payment)).map(({ row }) => row);
		const asked = held.length && this.isCancelled() ? undefined : sent;
		const earlier = await sentEarlier(held, memory, asked, options);
		return this.open.map(
			(payment) => this.ended.get(payment) ?? this.endHeld(payment, earlier(payment.row)),
		);
	}

	private endHeld(payment: OpenPayment, earlier: NotPaid | undefined): EndedPayment {
		const { row } = payment;
		const result = earlier ?? (this.remembered.has(row.key) && sentBefore(row, this.parts.options));
		return result ? end(payment, result) : endNotSent(payment, this.stopped ?? tell('cancelled'));
	}

	/** The next payment whose reference is written down; nothing when no further one is to be sent. */
	private async next(): Promise<OpenPayment | undefined> {
		for (;;) {
			if (this.isStopped()) return undefined;
			if (this.cleared.length < this.parts.options.concurrency && this.waiting.length) {
				this.writing ??= this.writeDown().finally(() => (this.writing = undefined));
			}
			const payment = this.cleared.shift();
			if (payment) return payment;
			if (!this.writing) return undefined;
			await this.writing;
		}
	}

	/** Writes the next references down, before any of them is sent. */
	private async writeDown(): Promise<void> {
		const { sent, options } = this.parts;
		const chunk = this.waiting.splice(0, Math.max(sent?.chunkSize ?? 0, options.concurrency));
		try {
			const known = await sent?.record(chunk.map(({ row }) => row.key));
			const again = chunk.filter(({ row }) => known?.has(row.key) && maySendAgain(options, row));
			await sent?.recordAgain(again.map(({ row }) => row.key));
			// Another execution has sent it since this one asked.
			if (options.sentBefore === 'stop' && known?.size)
				this.stopped ??= tell('referencesSentBefore');
			for (const payment of chunk) {
				if (known?.has(payment.row.key) && !maySendAgain(options, payment.row)) {
					this.ended.set(payment, end(payment, sentBefore(payment.row, options)));
				} else this.cleared.push(payment);
				if (known?.has(payment.row.key)) this.remembered.add(payment.row.key);
			}
		} catch (error) {
			this.stopped ??= tell('notWrittenDown', { reason: (error as Error).message });
		}
	}

	private async pay(row: Row): Promise<Result> {
		const { memory, sent, stopOnFault } = this.parts;
		const mayExist = this.remembered.has(row.key) || memory.get(row.key) !== undefined;
		const result = await this.request(row);
		if (result.outcome === 'created') return result;

		// The service may refuse it now because the earlier attempt did create it. That is no new fault.
		const isRefused = result.outcome === 'rejected' || result.httpStatus === 409;
		if (stopOnFault && !(mayExist && isRefused)) {
			this.stopped ??= tell(this.isCancelled() ? 'cancelled' : 'earlierFault');
		}
		if (mayExist) return stillUnknown(result);
		if (result.outcome !== 'unknown') {
			memory.forget(row.key);
			sent?.forget(row.key);
		}
		return result;
	}

	private async request(row: Row): Promise<CreatedPayment | NotPaid> {
		const { agent, endpoint, memory, service } = this.parts;
		const { reference, key, body, itemIndex } = row;
		for (;;) {
			const turn = await this.pace.turn(() => this.isStopped());
			if (!turn) {
				return { ...(this.stopped ?? tell('cancelled')), outcome: 'notSent', reference };
			}
			const likeness = agent && agentLikeness(endpoint, row);
			memory.sending(key, itemIndex, { reference, body, likeness });
			try {
				const answer = await service.request({ method: 'POST', path: endpoint.path, body });
				this.pace.taken();
				this.tokensRefused = 0;
				return await this.answered(row, answer);
			} catch (error) {
				const fault = toServiceError(error);
				if (fault.isLogin) this.endBy(fault);
				this.tokensRefused = fault.status === 401 ? this.tokensRefused + 1 : 0;
				if (this.tokensRefused === MAX_TOKENS_REFUSED) this.stopped ??= tell('tokensRefused');
				// A 429 is a refusal: nothing was created, so sending again is safe.
				if (fault.status !== 429) return failed(reference, fault);
				if (!this.pace.pause(turn, fault.retryAfterMs)) {
					this.stopped ??= tell('requestsRefused');
					return failed(reference, fault);
				}
			} finally {
				this.pace.end(turn);
			}
		}
	}

	/** Ends the batch because there is no login. */
	private endBy({ code, message, advice, status }: ServiceError): void {
		const { memory, service } = this.parts;
		this.stopped ??= { code, message, advice };
		// A refused login is remembered, so that the runs of a loop and Retry On Fail do not try it again.
		if (status !== undefined) memory.loginRefused(service.account, { code, message });
	}

	private async answered(row: Row, answer: unknown): Promise<CreatedPayment | NotPaid> {
		const { context, endpoint, memory } = this.parts;
		const doubt = doubtOf(endpoint, memory, row, answer);
		if (doubt) return doubt;
		const { transactionId } = endpoint.created(answer as IDataObject) ?? { transactionId: '' };
		memory.created(row.key, transactionId, answer as IDataObject);
		return await createdResult(context, endpoint, row, answer as IDataObject);
	}

	private isStopped(): boolean {
		return this.stopped !== undefined || this.isCancelled();
	}

	private isCancelled(): boolean {
		return this.parts.context.getExecutionCancelSignal()?.aborted === true;
	}
}

/** One 401 may be a passing fault. After so many the batch stops, or each row would cause another login. */
const MAX_TOKENS_REFUSED = 3;

function failed(reference: string, fault: ServiceError): NotPaid {
	return {
		outcome: fault.outcome,
		code: fault.code,
		reference,
		message: fault.message,
		advice: fault.outcome === 'unknown' ? LOOK_UP : fault.advice,
		httpStatus: fault.status,
	};
}

function stillUnknown(result: NotPaid): NotPaid {
	return { ...result, ...tell('stillUnknown', { said: result.message }) };
}
