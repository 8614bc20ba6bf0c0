import type { Change } from './package';

/** A way to break the package on purpose. */
export interface PlantedFault extends Change {
	name: string;
}

const SEND = 'nodes/payments/send.ts';
const SETTLE = 'nodes/payments/settle.ts';
const CONTROL = 'nodes/payments/control.ts';
const PAY = 'nodes/payments/pay.ts';
const DOUBT = 'nodes/payments/doubt.ts';
const REPORT = 'nodes/payments/report.ts';
const EXECUTION = 'nodes/memory/executionMemory.ts';
const SENT = 'nodes/memory/sentReferences.ts';
const TURN = 'nodes/memory/turn.ts';

/**
 * Each of these has to be found: what a simulation does not find when it is there, it does not rule out
 * either.
 */
export const FAULTS: PlantedFault[] = [
	{
		name: 'references are written down after sending',
		file: SEND,
		find: `const known = await sent?.record(chunk.map(({ row }) => row.key));`,
		replace: `const known = new Set<string>();
			void sent?.record(chunk.map(({ row }) => row.key)).catch(() => undefined);`,
	},
	{
		name: 'what is unknown is forgotten',
		file: SEND,
		find: `if (result.outcome !== 'unknown') {
			memory.forget(row.key);`,
		replace: `{
			memory.forget(row.key);`,
	},
	{
		name: 'what is unknown is forgotten by the node alone',
		file: SEND,
		find: `if (mayExist) return stillUnknown(result);`,
		replace: `if (mayExist) return stillUnknown(result);
		if (result.outcome === 'unknown') sent?.forget(row.key);`,
	},
	{
		name: 'what is refused is not forgotten',
		file: SEND,
		find: `			sent?.forget(row.key);
		}
		return result;`,
		replace: `		}
		return result;`,
	},
	{
		name: 'what was not reached is not forgotten',
		file: SEND,
		find: `if (!this.remembered.has(row.key)) this.parts.sent?.forget(row.key);`,
		replace: ``,
	},
	{
		name: 'a refusal of what may exist is believed',
		file: SEND,
		find: `if (mayExist) return stillUnknown(result);`,
		replace: ``,
	},
	{
		name: 'the lock is skipped',
		file: TURN,
		find: `const isLocked = await lock.acquire();`,
		replace: `const isLocked = true;`,
	},
	{
		name: 'the queue within the process is skipped, and the lock',
		file: TURN,
		find: `const turn = before.then(async () => await whileLocked(new Lock(context), work));`,
		replace: `const turn = (async () => ({ value: await work(), wasAlone: true }))();`,
	},
	{
		name: 'a killed holder is waited for without end',
		file: TURN,
		find: `} else if (count !== 0 && now - seen.since > seen.patience) {`,
		replace: `} else if (count < 0) {`,
	},
	{
		name: 'any row counts as a lock of ours',
		file: TURN,
		find: `} else if (count < MARK.min || count > MAX_ENTRIES) return false;`,
		replace: `} else if (count < MARK.min || count > MAX_ENTRIES) {
				this.mark = count;
				return true;
			}`,
	},
	{
		name: 'a connection that breaks counts as refused',
		file: 'nodes/service/errors.ts',
		find: `	ECONNREFUSED: 'nothing answers at its address',`,
		replace: `	ECONNREFUSED: 'nothing answers at its address',
	ECONNRESET: 'the connection broke',`,
	},
	{
		name: 'a 5xx counts as refused',
		file: 'nodes/service/errors.ts',
		find: `if (status >= 500) return tell('serviceFault', { status, said });`,
		replace: `if (status >= 500) return tell('refusedWithStatus', { status, said });`,
	},
	{
		name: 'a 408 counts as refused',
		file: 'nodes/service/errors.ts',
		find: `		case 408:
			return tell('serviceFault', { status, said });`,
		replace: `		case 408:
			return tell('refusedWithStatus', { status, said });`,
	},
	{
		name: 'time that is over counts as not sent',
		file: 'nodes/service/errors.ts',
		find: `	return fromFault({ code: isTimeOver ? 'ETIMEDOUT' : 'ERR_CANCELED' });`,
		replace: `	return isTimeOver ? cancelledBeforeSending() : fromFault({ code: 'ERR_CANCELED' });`,
	},
	{
		name: 'a request that is cancelled counts as not sent',
		file: 'nodes/service/errors.ts',
		find: `	return fromFault({ code: isTimeOver ? 'ETIMEDOUT' : 'ERR_CANCELED' });`,
		replace: `	return isTimeOver ? fromFault({ code: 'ETIMEDOUT' }) : cancelledBeforeSending();`,
	},
	{
		name: 'a payment is sent again after a 5xx',
		file: 'nodes/service/transport.ts',
		find: `const attempts = request.method === 'GET' ? READ_ATTEMPTS : 1;`,
		replace: `const attempts = READ_ATTEMPTS;`,
	},
	{
		name: 'a payment is sent again after a 503',
		file: SEND,
		find: `if (fault.status !== 429) return failed(reference, fault);`,
		replace: `if (![429, 503].includes(Number(fault.status))) return failed(reference, fault);`,
	},
	{
		name: 'any 2xx is a payment',
		file: SEND,
		find: `const doubt = doubtOf(endpoint, memory, row, answer);`,
		replace: `const doubt = undefined;`,
	},
	{
		name: 'the echo of the reference is not compared',
		file: DOUBT,
		find: `if (echo !== undefined && referenceKey(echo) !== key) {`,
		replace: `if (echo === 'never') {`,
	},
	{
		name: 'a transaction may belong to two references',
		file: DOUBT,
		find: `if (owner !== undefined && owner !== key) {`,
		replace: `if (owner === 'never') {`,
	},
	{
		name: 'a success that says it is none is believed',
		file: DOUBT,
		find: `if (String(success).toLowerCase() === 'false' || Number(statusCode) >= 400) {`,
		replace: `if (success === 'never' || statusCode === 'never') {`,
	},
	{
		name: 'what an earlier attempt sent is not settled',
		file: PAY,
		find: `	payments = await through(payments, settleFromExecution(context, endpoint, memory, options));`,
		replace: ``,
	},
	{
		name: 'an unknown payment is tried again by Retry On Fail',
		file: SETTLE,
		find: `return isRetriedByHand && maySendAgain(options, row) ? undefined : heldBack(row);`,
		replace: `return undefined;`,
	},
	{
		name: 'Send Again counts for Retry On Fail, too',
		file: SETTLE,
		find: `return isRetriedByHand && maySendAgain(options, row) ? undefined : heldBack(row);`,
		replace: `return maySendAgain(options, row) ? undefined : heldBack(row);`,
	},
	{
		name: 'Send Again counts for every reference',
		file: SETTLE,
		find: `return sendAgain.some((reference) => referenceKey(reference) === key);`,
		replace: `return sendAgain.length > 0;`,
	},
	{
		name: 'the run of a loop is lost',
		file: EXECUTION,
		find: `this.run = Number(context.evaluateExpression('{{ $runIndex }}', 0)) || 0;`,
		replace: `this.run = 0;`,
	},
	{
		name: 'occurrences begin anew in each run',
		file: EXECUTION,
		find: `			.filter(([run]) => Number(run) < this.run)
			.reduce((sum, [, count]) => sum + count, 0);`,
		replace: `			.filter(([run]) => Number(run) < 0)
			.reduce((sum, [, count]) => sum + count, 0);`,
	},
	{
		name: 'occurrences go on counting at each attempt',
		file: EXECUTION,
		find: `.filter(([run]) => Number(run) < this.run)`,
		replace: `.filter(([run]) => Number(run) <= this.run)`,
	},
	{
		name: 'the execution does not keep the answer',
		file: EXECUTION,
		find: `if (payment) Object.assign(payment, { outcome: 'created', answer });`,
		replace: `if (payment) Object.assign(payment, { outcome: 'created' });`,
	},
	{
		name: 'the execution notes a payment only when it is answered',
		file: SEND,
		find: `			memory.sending(key, itemIndex, { reference, body, likeness });`,
		replace: ``,
	},
	{
		name: 'the same reference for another item is another payment',
		file: SETTLE,
		find: `return other && sentByAnotherItem(endpoint, row, other);`,
		replace: `return undefined;`,
	},
	{
		name: 'upper case makes another reference',
		file: 'nodes/fields/text.ts',
		find: `	return sameText(reference).toLowerCase();`,
		replace: `	return sameText(reference);`,
	},
	{
		name: 'a dry run keeps its questions',
		file: SENT,
		find: `await this.removeNow(chunk.filter((reference) => !known?.has(reference)));`,
		replace: ``,
	},
	{
		name: 'a dry run sends',
		file: PAY,
		find: `if (options.dryRun) payments = await through(payments, asReady(endpoint));`,
		replace: ``,
	},
	{
		name: 'a database that fails lets all be sent',
		file: SEND,
		find: `			this.stopped ??= tell('notWrittenDown', { reason: (error as Error).message });`,
		replace: `			this.cleared.push(...chunk);`,
	},
	{
		name: 'what is cancelled is not told',
		file: PAY,
		find: `for (const message of isCancelled ? cancelReport(ended, target) : [])`,
		replace: `for (const message of isCancelled ? cancelReport(ended, target).slice(1) : [])`,
	},
	{
		name: 'the error names no unknown rows',
		file: REPORT,
		find: `error.context.rows = told.map(`,
		replace: `error.context.rows = told.filter(({ result }) => result.outcome !== 'unknown').map(`,
	},
	{
		name: 'rows that are held are not looked up',
		file: SEND,
		find: `return await this.parts.sent.lookUp(keys).catch(() => new Set<string>());`,
		replace: `return new Set<string>(keys.slice(0, 0));`,
	},
	{
		name: 'bad rows are not looked up',
		file: CONTROL,
		find: `return await sent.lookUp([...new Set(keys)]).catch(() => new Set<string>());`,
		replace: `return new Set<string>(keys.slice(0, 0));`,
	},
	{
		name: 'requests under way are not waited for',
		file: SEND,
		find: `await Promise.all(Array.from({ length: Math.min(concurrency, this.open.length) }, worker));`,
		replace: `await Promise.race(Array.from({ length: Math.min(concurrency, this.open.length) }, worker));`,
	},
	{
		name: 'it throws where it should go on',
		file: PAY,
		find: `if (!continueOnFail && ended.some(isFault)) throw stopError(context, ended, target);`,
		replace: `if (ended.some(isFault)) throw stopError(context, ended, target);`,
	},
];
