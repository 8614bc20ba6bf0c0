import type { Change } from './package';

/** The kinds of worlds. */
export type WorldName = 'payments' | 'events';

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

const PAYMENTS: PlantedFault[] = [
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
		find: `if (!before.has(reference)) this.toForget.add(reference);`,
		replace: `void reference;`,
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
		find: `const asked = held.length && this.isCancelled() ? undefined : sent;`,
		replace: `const asked = undefined;`,
	},
	{
		name: 'bad rows are not looked up',
		file: CONTROL,
		find: `sentEarlier(held, batch.memory, batch.sent, batch.options)`,
		replace: `sentEarlier(held, batch.memory, undefined, batch.options)`,
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

const CATCH_UP = 'nodes/events/catchUp.ts';
const DELIVERY = 'nodes/events/delivery.ts';
const EVENT = 'nodes/events/event.ts';
const EVENT_MEMORY = 'nodes/events/eventMemory.ts';
const GIVE_OUT = 'nodes/events/giveOut.ts';
const LOG_PAGES = 'nodes/events/logPages.ts';
const WEBHOOKS = 'nodes/events/webhooks.ts';
const REGISTRATION = 'nodes/events/registration.ts';
const UPKEEP = 'nodes/events/upkeep.ts';

const EVENTS: PlantedFault[] = [
	{
		name: 'events are given out without being remembered',
		file: EVENT_MEMORY,
		find: `	await record(context, first.flatMap(allOf));

`,
		replace: ``,
	},
	{
		name: 'a retry does not get its event',
		file: EVENT_MEMORY,
		find: `	const taken = new Set([...first, ...orphans, ...own, ...late]);`,
		replace: `	const taken = new Set([...first, ...orphans, ...late]);`,
	},
	{
		name: 'an event that was asked for and not taken is nobody’s',
		file: EVENT_MEMORY,
		find: `others.filter((arrival) => made.delete(givenOut(arrival)))`,
		replace: `others.filter((arrival) => made.delete(givenOut(arrival)) && false)`,
	},
	{
		name: 'the lock is skipped',
		file: TURN,
		find: `const isLocked = await lock.acquire();`,
		replace: `const isLocked = true;`,
	},
	{
		name: 'the turn is skipped',
		file: EVENT_MEMORY,
		find: `	const { value: taken, wasAlone } = await takeTurn(context, async () => {
		close();
		return await take(context, arrivals);
	});`,
		replace: `	close();
	const { value: taken, wasAlone } = { value: await take(context, arrivals), wasAlone: true };`,
	},
	{
		name: 'an execution that waits is forgotten by the question',
		file: EVENT_MEMORY,
		find: `const question = nextQuestions.get(nodeOf(context)) ?? ask(context);`,
		replace: `const question = ask(context);
	if (nextQuestions.size > 1) return arrivals.map(() => false);`,
	},
	{
		name: 'every hand-over of an event has the same name',
		file: DELIVERY,
		find: `const item = handOver(payload, randomUUID());`,
		replace: `const item = handOver(payload, 'delivered');`,
	},
	{
		name: 'the log of the worker does not name events',
		file: GIVE_OUT,
		find: `	logEvents(context, events);
`,
		replace: ``,
	},
	{
		name: 'events are named in the log after they were taken',
		file: GIVE_OUT,
		find: `	logEvents(context, events);
	const isTaken = await takeEvents(context, events);`,
		replace: `	const isTaken = await takeEvents(context, events);
	logEvents(context, events);`,
	},
	{
		name: 'the status is no part of what an event is known by',
		file: EVENT,
		find: `	return PLAIN.test(transactionId) && PLAIN.test(status)`,
		replace: `	if (status !== 'never') return \`partnerPayments:\${status}\`;
	return PLAIN.test(transactionId) && PLAIN.test(status)`,
	},
	{
		name: 'an event without an identifier is any other',
		file: EVENT,
		find: `sha256(canonicalJson(payload))`,
		replace: `sha256(String(payload.status))`,
	},
	{
		name: 'a delivery is not verified',
		file: DELIVERY,
		find: `		if (!isSecret(given, kept.secretHash)) {`,
		replace: `		if (given === 'never') {`,
	},
	{
		name: 'the API key is not looked at',
		file: DELIVERY,
		find: `if (header === '' || !isSecret(given, kept.apiKeyHash)) {`,
		replace: `if (header === '') {`,
	},
	{
		name: 'only a failed delivery is looked at',
		file: CATCH_UP,
		find: `const isFullLook = this.isTogether || now - this.lastFullLook >= FULL_LOOK_MS;`,
		replace: `const isFullLook = this.isTogether;`,
	},
	{
		name: 'what was handed over is remembered for ever',
		file: CATCH_UP,
		find: `		if (!isBegun) for (const { key } of events) this.handedOver.delete(key);`,
		replace: ``,
	},
	{
		name: 'what a killed worker did not begin with does not come again',
		file: CATCH_UP,
		find: `	return status !== 'error' || data?.resultData.lastNodeExecuted !== undefined;`,
		replace: `	return status !== undefined || data !== undefined;`,
	},
	{
		name: 'reading ends at the first page',
		file: LOG_PAGES,
		find: `		if (page === undefined) return;`,
		replace: `		if (page !== 0) return;`,
	},
	{
		name: 'a page with an odd row is taken for the last',
		file: LOG_PAGES,
		find: `			size: rows.length,`,
		replace: `			size: logs.length,`,
	},
	{
		name: 'rows of the same moment end the reading',
		file: LOG_PAGES,
		find: `	const isOrder = new Set(times).size > 2;`,
		replace: `	const isOrder = true;`,
	},
	{
		name: 'a row without an identifier counts as seen',
		file: LOG_PAGES,
		find: `if (log.id !== undefined && seen.has(log.id)) continue;`,
		replace: `if (seen.has(log.id)) continue;`,
	},
	{
		name: 'a payload as text is none',
		file: 'nodes/events/logEntry.ts',
		find: `	if (typeof payload !== 'string') return isObject(payload) ? payload : undefined;`,
		replace: `	if (isObject(payload) || typeof payload !== 'string' || payload !== '') return isObject(payload) ? payload : undefined;`,
	},
	{
		name: 'a webhook is made whenever one publishes',
		file: REGISTRATION,
		find: `		return found !== undefined;`,
		replace: `		return false;`,
	},
	{
		name: 'an outage is fatal when n8n starts',
		file: REGISTRATION,
		find: `if (!isAtStart(context) && !(isOutage && isOn)) throw notRegistered(context, error);`,
		replace: `if (!(isOutage && isOn)) throw notRegistered(context, error);`,
	},
	{
		name: 'the new address is forgotten when n8n starts during an outage',
		file: REGISTRATION,
		find: `		if (wanted && isNewOrOwn) kept.address = wanted.address;`,
		replace: ``,
	},
	{
		name: 'what another n8n kept counts as this one’s',
		file: 'nodes/events/keptRegistration.ts',
		find: `	return owner === undefined || owner === ownerOf(context, isTest);`,
		replace: `	return true;`,
	},
	{
		name: 'an export is the same owner',
		file: 'nodes/events/keptRegistration.ts',
		find: `		context.getInstanceId(),
		context.getWorkflow().id,
		context.getNode().id,
`,
		replace: `		context.getNode().id,
`,
	},
	{
		name: 'a test has the webhook that is published',
		file: 'nodes/events/keptRegistration.ts',
		find: `		context.getNode().id,
		isTest,
`,
		replace: `		context.getNode().id,
`,
	},
	{
		name: 'a webhook is known by the path alone',
		file: 'nodes/events/webhooks.ts',
		find: `	return first.origin === second.origin && path(first) === path(second);`,
		replace: `	return path(first) === path(second);`,
	},
	{
		name: 'a webhook is known by its address alone',
		file: WEBHOOKS,
		find: `			named === owner ||
`,
		replace: ``,
	},
	{
		name: 'the webhook is not repaired',
		file: UPKEEP,
		find: `	if (changed.length > 0 && isPublished()) {`,
		replace: `	if (changed.length > 9) {`,
	},
	{
		name: 'a turn looks after the webhook while n8n registers it',
		file: CATCH_UP,
		find: `		return registeredAt < this.startedAt && Math.abs(Date.now() - this.startedAt) < PUBLICATION_MS;`,
		replace: `		return registeredAt < this.startedAt && Date.now() - this.startedAt < 1;`,
	},
	{
		name: 'nobody is told that the webhook is gone',
		file: UPKEEP,
		find: `return { webhookId, problem: tell('webhookGone') };`,
		replace: `return { webhookId };`,
	},
	{
		name: 'a repair makes a webhook known that is another one’s',
		file: WEBHOOKS,
		find: `	const own = webhooks.filter((webhook) => {`,
		replace: `	const own = webhooks.filter((webhook, index) => {
		if (index === webhooks.length - 1) return true;`,
	},
	{
		name: 'a login that failed is never tried again',
		file: 'nodes/service/session.ts',
		find: `		!account.replaced.has(account.current) &&
`,
		replace: ``,
	},
];

/**
 * By the world that has to find it: what a simulation does not find when it is there, it does not rule out
 * either.
 */
export const FAULTS: Record<WorldName, PlantedFault[]> = { payments: PAYMENTS, events: EVENTS };
