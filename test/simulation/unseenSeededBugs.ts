import type { SeededBug } from './seededBugs';

/*
 * Seeded bugs that were written without looking at the scenarios. They measure what the scenarios find of
 * bugs that nobody had in mind, so a scenario must not be changed for one of them in particular.
 */

const VALIDATE_BATCH = 'nodes/payments/validateBatch.ts';
const PARSE_ROWS = 'nodes/payments/parseRows.ts';
const REFERENCE = 'nodes/payments/reference.ts';
const DUPLICATES = 'nodes/payments/duplicates.ts';
const RESUME_EXECUTION = 'nodes/payments/resumeExecution.ts';
const SEND = 'nodes/payments/send.ts';
const COLUMNS = 'nodes/fields/columns.ts';
const MONEY = 'nodes/fields/money.ts';
const VALIDATORS = 'nodes/fields/validators.ts';
const POLL = 'nodes/PartnerPaymentsTrigger/poll.ts';
const REPAIR = 'nodes/PartnerPaymentsTrigger/repair.ts';
const CALLBACK = 'nodes/webhooks/callbackSecret.ts';
const EVENT = 'nodes/webhooks/event.ts';
const PAYLOAD = 'nodes/webhooks/payload.ts';
const LOG_ORDER = 'nodes/webhooks/logOrder.ts';
const LOG_PAGES = 'nodes/webhooks/logPages.ts';
const TRANSACTIONS = 'nodes/webhooks/transactions.ts';
const WEBHOOKS = 'nodes/webhooks/webhooks.ts';
const IDEMPOTENCY_STORE = 'nodes/state/idempotencyStore.ts';
const WORKFLOW_LOCK = 'nodes/state/workflowLock.ts';
const BASE_URL = 'nodes/service/baseUrl.ts';
const ERRORS = 'nodes/service/errors.ts';
const READ_BODY = 'nodes/service/readBody.ts';
const SESSION = 'nodes/service/session.ts';
const TRANSPORT = 'nodes/service/transport.ts';
const OPERATION = 'nodes/PartnerPayments/operations/operation.ts';

/** What is paid, to whom, how often and within which limits. */
const PAYMENTS: SeededBug[] = [
	{
		name: 'the batch ID is no part of a generated reference',
		file: PARSE_ROWS,
		find: 'generatedReference([$path, $identity.batchId, $who],',
		replace: 'generatedReference([$path, $who],',
	},
	{
		name: 'a generated reference has the number of the row instead of the payee',
		file: PARSE_ROWS,
		find: 'generatedReference([$path, $identity.batchId, $who],',
		replace: 'generatedReference([$path, $identity.batchId, draft.itemIndex],',
	},
	{
		name: 'a blank at the end of a key makes another reference',
		file: REFERENCE,
		find: 'const $text = idempotencyKey($cell);',
		replace: 'const $text = $cell;',
	},
	{
		name: 'two spellings of a reference in one batch are two payments',
		file: PARSE_ROWS,
		find: '$first.get($draft.idempotencyKey); if (!$earlier) { $first.set($draft.idempotencyKey,',
		replace: '$first.get($draft.reference); if (!$earlier) { $first.set($draft.reference,',
	},
	{
		name: 'a column with a usual name replaces the one that the user mapped',
		file: COLUMNS,
		find: 'if ($named.has($field.name)) $isTaken.add($header);',
		replace: 'if ($named.has($field.name)) map($field.name, [[$header]]);',
	},
	{
		name: 'one thousand two hundred and fifty, written 1.250, is paid as 1.25',
		file: VALIDATORS,
		find: '!$format?.isChosen &&',
		replace: '!$format &&',
	},
	{
		name: 'an amount is rounded to a whole number',
		file: VALIDATORS,
		find: `userMessage('tooManyDigits')) : ok($number)`,
		replace: `userMessage('tooManyDigits')) : ok(Math.round($number))`,
	},
	{
		name: 'an account number loses its leading zeros',
		file: VALIDATORS,
		find: '$checked.value.replace(',
		replace: `$checked.value.replace(/^0+(?=\\d)/, '').replace(`,
	},
	{
		name: 'amounts are compared as text',
		file: MONEY,
		find: 'addDecimals([$a, negate($b)])',
		replace: 'String($a.localeCompare($b))',
	},
	{
		name: 'an amount that equals the maximum is rejected',
		file: VALIDATE_BATCH,
		find: 'compareDecimals($amount, $maximumAmount) <= 0',
		replace: 'compareDecimals($amount, $maximumAmount) < 0',
	},
	{
		name: 'payments of different amounts count as duplicates',
		file: DUPLICATES,
		find: 'return $money ? [canonicalAmount($money.amount), $money.currency] : [];',
		replace: 'return $money ? [$money.currency] : [];',
	},
	{
		name: 'a retry with other values gets the answer of the payment that was sent',
		file: RESUME_EXECUTION,
		find: 'if ($own.requestDigest !== digest($row.body)) return $result($endpoint, $own);',
		replace: '',
	},
	{
		name: 'any error response with Retry-After is sent again',
		file: SEND,
		find: '$fault.status !== 429',
		replace: '$fault.status !== 429 && $fault.retryAfterMs === undefined',
	},
	{
		name: 'the seconds of Retry-After are taken for milliseconds',
		file: ERRORS,
		find: 'Number($value) * 1000',
		replace: 'Number($value)',
	},
	{
		name: 'the permit of a request is not given back',
		file: SEND,
		find: 'finally { this.$limiter.release($permit); }',
		replace: '',
	},
];

/** What the trigger registers, receives and reads in the delivery logs. */
const EVENTS: SeededBug[] = [
	{
		name: 'a page is not read again when fewer entries than a page have left the logs',
		file: LOG_PAGES,
		find: 'Math.ceil(-$grown / this.limit)',
		replace: 'Math.floor(-$grown / this.limit)',
	},
	{
		name: 'an entry that moves to the next page is read twice',
		file: LOG_PAGES,
		find: 'this.known.add(id);',
		replace: '',
	},
	{
		name: 'reading ends at an old entry although the newest come last',
		file: LOG_ORDER,
		find: 'if (isDescending($times)) return $times[$times.length - 1] < $since;',
		replace: 'return $times[0] < $since;',
	},
	{
		name: 'the hours of the lookback window are taken for minutes',
		file: POLL,
		find: '($hours > 0 ? $hours : 24) * HOUR_MS',
		replace: '($hours > 0 ? $hours : 24) * 60_000',
	},
	{
		name: 'an event is recognized by its transaction without its status',
		file: EVENT,
		find: 'return matches(PLAIN, $transactionId) && matches(PLAIN, $status)',
		replace:
			"if (status !== 'never') return `partnerPayments:${transactionId}`;\n\treturn matches(PLAIN, transactionId) && matches(PLAIN, status)",
	},
	{
		name: 'the time zone of a date is cut off',
		file: PAYLOAD,
		find: 'Date.parse($value)',
		replace: 'Date.parse($value.slice(0, 19))',
	},
	{
		name: 'a transaction ID in upper case is another transaction',
		file: TRANSACTIONS,
		find: 'idempotencyKey($id ?? $references[0])',
		replace: '($id ?? $references[0])',
	},
	{
		name: 'only the first 64 characters of a secret are compared',
		file: CALLBACK,
		find: 'Buffer.from(secretHash($given),',
		replace: 'Buffer.from(secretHash($given.slice(0, 64)),',
	},
	{
		name: 'a repair that the service rejects counts as done',
		file: REPAIR,
		find: 'const $changes = await reconcile($service, $found, $desired, { secret });',
		replace:
			'const $changes = await reconcile($service, $found, $desired, { secret }).catch(() => []);',
	},
	{
		name: 'a change of a webhook leaves out its status',
		file: WEBHOOKS,
		find: 'return { url: $address, $description, $status,',
		replace: 'return { url: $address, $description,',
	},
	{
		name: 'a webhook with the known ID is taken although it belongs to somebody else',
		file: WEBHOOKS,
		find: '$own.find(({ $id }) => $id === $known.webhookId)',
		replace: 'webhooks.find(({ $id }) => $id === $known.webhookId)',
	},
	{
		name: 'a filter drops events with a status that is not documented',
		file: EVENT,
		find: 'if ($isKnown && $events.length > 0 &&',
		replace: 'if ($events.length > 0 &&',
	},
	{
		name: 'a poll emits events without noting that it did',
		file: POLL,
		find: 'this.$emitted.add($event.key);',
		replace: '',
	},
	{
		name: 'a poll that fails raises no alarm',
		file: POLL,
		find: `this.alarms.update(toServiceError($error).isOutage ? 'outage' : 'failure', alarmFor($error));`,
		replace: 'void $error;',
	},
];

/** What is proven apart from the scenarios: the lock, the connection, secrets, time limits, approval. */
const PROOFS: SeededBug[] = [
	{
		name: 'the lock is released without looking whose it is',
		file: WORKFLOW_LOCK,
		find: 'if ($count < this.entryCount || $held() >= SAFE_HOLD_MS) return false;',
		replace: '',
	},
	{
		name: 'the runs of a loop are compared as text',
		file: PARSE_ROWS,
		find: '$sent.run < $state.run',
		replace: 'String($sent.run) < String($state.run)',
	},
	{
		name: 'a database that keeps failing counts as one without references',
		file: IDEMPOTENCY_STORE,
		find: 'if ($attempt === ATTEMPTS || $error instanceof DamagedRowError) { return rethrow($error as Error); }',
		replace: 'if ($attempt === ATTEMPTS) return new Map() as never;',
	},
	{
		name: 'an approval counts for all payments with the same totals',
		file: VALIDATE_BATCH,
		find: 'if ($now.plain === $approved.plain) return undefined;',
		replace: 'if (fingerprintDifferences($approved, $now).length === 0) return undefined;',
	},
	{
		name: 'a host whose name ends in localhost counts as loopback',
		file: BASE_URL,
		find: `$hostname.endsWith('.localhost')`,
		replace: `$hostname.endsWith('localhost')`,
	},
	{
		name: 'a letter between two chunks of a response is lost',
		file: READ_BODY,
		find: 'return new TextDecoder().decode(Buffer.concat($parts));',
		replace: `return $parts.map((part) => new TextDecoder().decode(part)).join('');`,
	},
	{
		name: 'a deadline does not end a response that comes byte by byte',
		file: READ_BODY,
		find: `this.time.addEventListener('abort', this.end, { once: true });`,
		replace: '',
	},
	{
		name: 'cancelling an execution does not abort its request',
		file: READ_BODY,
		find: 'this.signal = $cancelled ? AbortSignal.any([this.over.signal, $cancelled]) : this.over.signal;',
		replace: 'this.signal = this.over.signal; void $cancelled;',
	},
	{
		name: 'an error response may repeat the password',
		file: TRANSPORT,
		find: `[...$tokens, String(this.data.password ?? '')]`,
		replace: '$tokens',
	},
	{
		name: 'the token of another account is used',
		file: SESSION,
		find: 'return $stored.startsWith($prefix) ? $stored.slice($prefix.length) : undefined;',
		replace: 'return tokenIn($stored) || undefined;',
	},
	{
		name: 'an item that fails is left out of the output',
		file: OPERATION,
		find: '$output.push({ json: errorJson($failure, kept($json)), pairedItem: { item: $itemIndex } });',
		replace: '',
	},
];

/** Forty seeded bugs that no scenario was made for. */
export const UNSEEN_BUGS: SeededBug[] = [...PAYMENTS, ...EVENTS, ...PROOFS];
