import type { Patch } from './patch';

/** The kinds of scenarios. */
export type ScenarioName = 'payments' | 'fundings' | 'events';

/** A bug that is put into the package on purpose. The simulation has to find it. */
export interface SeededBug extends Patch {
	name: string;
}

const DECIDE = 'nodes/batch/decide.ts';
const GATHER = 'nodes/batch/gather.ts';
const ASK_LOGS = 'nodes/batch/askLogs.ts';
const ASK_LEDGER = 'nodes/batch/askLedger.ts';
const RESULTS = 'nodes/batch/results.ts';
const PARSE_ROWS = 'nodes/batch/parseRows.ts';
const SEND = 'nodes/batch/send.ts';
const WORKFLOW_LOCK = 'nodes/ledger/workflowLock.ts';
const ERRORS = 'nodes/service/errors.ts';
const TRANSPORT = 'nodes/service/transport.ts';
const VERIFY_RESPONSE = 'nodes/batch/verifyResponse.ts';
const RUN_BATCH = 'nodes/batch/runBatch.ts';
const EXECUTION_STATE = 'nodes/ledger/executionState.ts';
const TEXT = 'nodes/fields/text.ts';
const LEDGER = 'nodes/ledger/ledger.ts';
const STORED_ENTRIES = 'nodes/ledger/storedEntries.ts';
const REPORT = 'nodes/batch/report.ts';
const BATCH_TEXTS = 'nodes/batch/batchTexts.ts';
const INPUT_RESULT = 'nodes/batch/inputResult.ts';
const REFERENCE = 'nodes/reference/batchIdentity.ts';
const DAILY_SPENDING = 'nodes/ledger/dailySpending.ts';
const ALARMS = 'nodes/PartnerPaymentsTrigger/alarms.ts';
const DEDUPLICATION = 'nodes/PartnerPaymentsTrigger/deduplication.ts';
const RECEIVE = 'nodes/PartnerPaymentsTrigger/receive.ts';
const EMIT = 'nodes/PartnerPaymentsTrigger/emit.ts';
const EVENT = 'nodes/logs/event.ts';
const EXECUTIONS = 'nodes/PartnerPaymentsTrigger/executions.ts';
const POLL = 'nodes/PartnerPaymentsTrigger/poll.ts';
const LOG_READER = 'nodes/logs/logReader.ts';
const LOG_ENTRY = 'nodes/logs/logEntry.ts';
const REGISTRATION = 'nodes/PartnerPaymentsTrigger/registration.ts';
const WEBHOOKS = 'nodes/logs/webhooks.ts';
const REPAIR = 'nodes/PartnerPaymentsTrigger/repair.ts';
const SESSION = 'nodes/service/session.ts';
const FUND_CONVERSIONS = 'nodes/PartnerPayments/resources/payout/fundConversions.ts';

const PAYMENTS: SeededBug[] = [
	{
		name: 'references are recorded after sending',
		file: SEND,
		find: 'await ledger.claim(intents, choose); if (!isUnasked) return;',
		replace: 'void ledger.claim(intents, choose).catch(() => undefined); if (!isUnasked) return;',
	},
	{
		name: 'unknown payments are removed from the ledger and the execution state',
		file: SEND,
		find: `if (result.outcome !== 'unknown') { state.forget(row.idempotencyKey);`,
		replace: '{ state.forget(row.idempotencyKey);',
	},
	{
		name: 'unknown payments are removed from the ledger only',
		file: SEND,
		find: 'return remainsUnknownResult(result); }',
		replace: `return remainsUnknownResult(result); } if (result.outcome === 'unknown') ledger?.release(row.idempotencyKey);`,
	},
	{
		name: 'rejected payments stay in the ledger',
		file: SEND,
		find: 'state.forget(row.idempotencyKey); ledger?.release(row.idempotencyKey); } return result;',
		replace: 'state.forget(row.idempotencyKey); } return result;',
	},
	{
		name: 'rows that were not sent stay in the ledger',
		file: SEND,
		find: 'for (const { row } of this.claimed) { dailyLimit?.release(row); ledger?.release(row.idempotencyKey); }',
		replace: '',
	},
	{
		name: 'a rejection counts although the payment may exist',
		file: SEND,
		find: 'return remainsUnknownResult($result); }',
		replace: '}',
	},
	{
		name: 'the lock is skipped',
		file: WORKFLOW_LOCK,
		find: 'const $isLocked = await this.acquire();',
		replace: 'const $isLocked = true;',
	},
	{
		name: 'the lock and the queue within the process are skipped',
		file: WORKFLOW_LOCK,
		find: 'const $turn = $before.then(async () => await new Lock($context).run($work));',
		replace: 'const $turn = (async () => ({ value: await $work(), wasExclusive: true }))();',
	},
	{
		name: 'the lock of a killed process is never taken over',
		file: WORKFLOW_LOCK,
		find: '} else if ($count !== 0 && $now - $seen.since > $seen.leaseMs) {',
		replace: '} else if ($count < 0) {',
	},
	{
		name: 'every row counts as our lock',
		file: WORKFLOW_LOCK,
		find: '} else if ($count < ENTRY_COUNT.min || $count > MAX_ENTRIES) return false;',
		replace:
			'} else if ($count < ENTRY_COUNT.min || $count > MAX_ENTRIES) { this.entryCount = $count; return true; }',
	},
	{
		name: 'a broken connection counts as rejected',
		file: ERRORS,
		find: `ECONNREFUSED: phrase('nothingAnswers'),`,
		replace: `ECONNREFUSED: phrase('nothingAnswers'), ECONNRESET: phrase('noConnection'),`,
	},
	{
		name: 'a 5xx counts as rejected',
		file: ERRORS,
		find: `if (status >= 500 || status === 408) return userMessage('serviceFailed', { status, said });`,
		replace: `if (status === 408) return userMessage('serviceFailed', { status, said });
			if (status >= 500) return userMessage('requestRejected', { said });`,
	},
	{
		name: 'a 408 counts as rejected',
		file: ERRORS,
		find: `if (status >= 500 || status === 408) return userMessage('serviceFailed', { status, said });`,
		replace: `if (status >= 500) return userMessage('serviceFailed', { status, said });
			if (status === 408) return userMessage('requestRejected', { said });`,
	},
	{
		name: 'a timeout counts as not sent',
		file: ERRORS,
		find: `return fromFailure({ code: $isTimeOver ? 'ETIMEDOUT' : 'ERR_CANCELED' });`,
		replace: `return $isTimeOver ? cancelledBeforeSending() : fromFailure({ code: 'ERR_CANCELED' });`,
	},
	{
		name: 'a cancelled request counts as not sent',
		file: ERRORS,
		find: `return fromFailure({ code: $isTimeOver ? 'ETIMEDOUT' : 'ERR_CANCELED' });`,
		replace: `return $isTimeOver ? fromFailure({ code: 'ETIMEDOUT' }) : cancelledBeforeSending();`,
	},
	{
		name: 'a payment is sent again after a 5xx',
		file: TRANSPORT,
		find: `if ($request.method !== 'GET') return`,
		replace: `if ($request.method === 'none') return`,
	},
	{
		name: 'a payment is sent again after a 503',
		file: SEND,
		find: 'if (failure.status !== 429) {',
		replace: 'if (![429, 503].includes(Number(failure.status))) {',
	},
	{
		name: 'every 2xx counts as a payment',
		file: SEND,
		find: 'const $unverified = verifyResponse($endpoint, $state, row, $answer);',
		replace: 'const $unverified = undefined;',
	},
	{
		name: 'the echo of the reference is not compared',
		file: VERIFY_RESPONSE,
		find: '[echo, state.ownerOf(transactionId)].find(',
		replace: '[state.ownerOf(transactionId)].find(',
	},
	{
		name: 'one transaction counts for two references',
		file: VERIFY_RESPONSE,
		find: '[echo, state.ownerOf(transactionId)].find(',
		replace: '[echo].find(',
	},
	{
		name: 'a 2xx with success false counts as a payment',
		file: VERIFY_RESPONSE,
		find: `if (statusText($success).toLowerCase() === 'false' || Number(statusText($statusCode)) >= 400) {`,
		replace: `if ($success === 'never' || $statusCode === 'never') {`,
	},
	{
		name: 'a payment that an earlier attempt created is not reported again',
		file: DECIDE,
		find: `if (sentHere.as === 'created') return 'createdHere';`,
		replace: '',
	},
	{
		name: 'Retry On Fail sends unknown payments again',
		file: GATHER,
		find: `if (sent.outcome !== 'created' || !sent.answer) return { sent, as: 'unknown' };`,
		replace: `if (sent.outcome !== 'created' || !sent.answer) return undefined;`,
	},
	{
		name: 'Pay Again also applies to Retry On Fail',
		file: DECIDE,
		find: `if (!logged && again === undefined) return 'unknownNotResent';`,
		replace: `if (!logged && facts.request < 1) return 'unknownNotResent';`,
	},
	{
		name: 'Pay Again applies to every reference',
		file: GATHER,
		find: '(options.referencesToPayAgain.get(row.idempotencyKey) ?? 0)',
		replace: '(options.referencesToPayAgain.size > 0 ? 1 : 0)',
	},
	{
		name: 'the run of a loop is ignored',
		file: EXECUTION_STATE,
		find: `this.run = Number($context.evaluateExpression('{{ $runIndex }}', 0)) || 0;`,
		replace: 'this.run = 0;',
	},
	{
		name: 'a corrected amount makes another reference',
		file: PARSE_ROWS,
		find: '[$path, $identity.batchId, $who]',
		replace: '[$path, $identity.batchId, $who, values.amount]',
	},
	{
		name: 'a row of a retried run is rejected as the second row of its payee',
		file: EXECUTION_STATE,
		find: '$row.run < this.run',
		replace: '$row.run <= this.run',
	},
	{
		name: 'the execution state has no responses',
		file: EXECUTION_STATE,
		find: `if ($payment) Object.assign($payment, { outcome: 'created', answer });`,
		replace: `if ($payment) Object.assign($payment, { outcome: 'created' });`,
	},
	{
		name: 'the execution state gets a payment only with its response',
		file: SEND,
		find: '$state.sending(idempotencyKey, {',
		replace: 'void ({',
	},
	{
		name: 'the same reference of another item counts as another payment',
		file: GATHER,
		find: 'const sent = own ?? state.get(row.idempotencyKey);',
		replace: 'const sent = own;',
	},
	{
		name: 'upper case makes a different reference',
		file: TEXT,
		find: 'return normalizeText($reference).toLowerCase();',
		replace: 'return normalizeText($reference);',
	},
	{
		name: 'a reference with other values counts as sent',
		file: LEDGER,
		find: `if (!$has($digest)) return { ...$known, reads: 'conflict' };`,
		replace: `if (!$has($digest)) return { ...$known, reads: 'alreadySent' };`,
	},
	{
		name: 'other values are left in the ledger',
		file: LEDGER,
		find: 'const $surplus = [...$asked].filter(($entry) => !$kept.has($entry));',
		replace: 'const $surplus: string[] = [];',
	},
	{
		name: 'a dry run records references',
		file: LEDGER,
		find: 'await this.claim($chunk, () => new Map())',
		replace: `await this.claim($chunk, (found) => new Map([...found].flatMap(([key, { reads }]) => reads === 'none' ? [[key, 0]] : [])))`,
	},
	{
		name: 'a dry run sends',
		file: RUN_BATCH,
		find: 'if (!whyStopped(batch) && !batch.options.dryRun) await send(batch, open);',
		replace: 'if (!whyStopped(batch)) await send(batch, open);',
	},
	{
		name: 'all rows are sent if the database fails',
		file: SEND,
		find: `batch.stopped ??= userMessage('referencesNotRecorded', { reason: ($error as Error).message });`,
		replace: '',
	},
	{
		name: 'a cancelled execution logs nothing',
		file: REPORT,
		find: 'for (const $message of cancellationLog($batch, $payments))',
		replace: 'for (const $message of cancellationLog($batch, $payments).slice(0, 0))',
	},
	{
		name: 'the error leaves out unknown rows',
		file: BATCH_TEXTS,
		find: '$error.context.rows = $listed.map(',
		replace: `$error.context.rows = $listed.filter(({ result }) => result.outcome !== 'unknown').map(`,
	},
	{
		name: 'rows of a batch that was stopped are not looked up',
		file: RUN_BATCH,
		find: 'if ((rejection ?? stopped) && !isCancelled(batch))',
		replace: 'if (false as boolean)',
	},
	{
		name: 'invalid rows are not looked up',
		file: GATHER,
		find: 'await askLedger(batch, isNeeded ? all : all.filter((facts) => !isOpen(facts, batch.options)));',
		replace: 'if (isNeeded) await askLedger(batch, all);',
	},
	{
		name: 'requests in flight are not awaited',
		file: SEND,
		find: 'await Promise.all($requests);',
		replace: 'await Promise.race(requests);',
	},
	{
		name: 'the node throws although On Error is Continue',
		file: REPORT,
		find: 'const isFailed = !$continueOnFail && $payments.some(isFailure);',
		replace: 'const isFailed = $payments.some(isFailure);',
	},
	{
		name: 'Check Delivery Logs is ignored',
		file: ASK_LOGS,
		find: 'if (days !== undefined && days > 0) return true;',
		replace: '',
	},
	{
		name: 'logs that cannot be read count as logs without entries',
		file: ASK_LOGS,
		find: 'if (isAsked) rejectBatch(batch, reason); else',
		replace: '',
	},
	{
		name: 'only the first page of the logs is read',
		file: LOG_READER,
		find: 'if (await this.hasPassed(start())) return;',
		replace: 'return;',
	},
	{
		name: 'a failed transaction in the logs counts as sent',
		file: DECIDE,
		find: `const hasFailed = statusKind(logged.status) === 'failed';`,
		replace: 'const hasFailed = false as boolean;',
	},
	{
		name: 'a transaction in the logs counts as failed until it is completed',
		file: DECIDE,
		find: `const hasFailed = statusKind(logged.status) === 'failed';`,
		replace: `const hasFailed = logged.status !== 'completed_transaction';`,
	},
	{
		name: 'a row that others sent is reported with the values that it has now',
		file: RESULTS,
		find: 'return row.errors.length > 0 || !(sentHere || (isRecorded && !ledger.isByOthers));',
		replace: 'return row.errors.length > 0;',
	},
	{
		name: 'the ledger is not asked about rows that are in the logs',
		file: ASK_LOGS,
		find: 'await askLedger(batch, logged);',
		replace: '',
	},
	{
		name: 'what another node has created is created again',
		file: INPUT_RESULT,
		find: `if (said === 'alreadysent' || (said === 'created' && !isBlank(String(transactionid ?? ''))))`,
		replace: `if (said === 'alreadysent')`,
	},
	{
		name: 'what another node found already sent is sent',
		file: INPUT_RESULT,
		find: `if (said === 'alreadysent' || (said === 'created' && !isBlank(String(transactionid ?? ''))))`,
		replace: `if (said === 'created' && !isBlank(String(transactionid ?? '')))`,
	},
	{
		name: 'an unknown row of another node is sent',
		file: DECIDE,
		find: `if (inputSays.says === 'unknown' && (isSameReference || inputSays.money !== 'other'))`,
		replace: 'if (false as boolean)',
	},
	{
		name: 'an unknown row of another node is sent under another reference',
		file: DECIDE,
		find: `if (inputSays.says === 'unknown' && (isSameReference || inputSays.money !== 'other'))`,
		replace: `if (inputSays.says === 'unknown' && isSameReference)`,
	},
	{
		name: 'a conflict of another node is sent',
		file: DECIDE,
		find: `if (inputSays.says === 'conflict' && mayBePayee) return 'conflictInInput';`,
		replace: '',
	},
	{
		name: 'a duplicate that another node held back is sent',
		file: DECIDE,
		find: `(inputSays?.says === 'duplicate' && inputSays.money !== 'other')`,
		replace: 'false',
	},
	{
		name: 'a payment of an earlier execution under another reference is no duplicate',
		file: DECIDE,
		find: 'ledger?.isDuplicate === true ||',
		replace: '',
	},
	{
		name: 'a description of all rows distinguishes payments',
		file: ASK_LEDGER,
		find: 'ignoresPurpose: isTool || sharedPurpose !== undefined,',
		replace: 'ignoresPurpose: isTool,',
	},
	{
		name: 'a new account of a known payee is not held',
		file: DECIDE,
		find: `if (options.accountChanges === 'hold' && isHeld('account')) return 'accountHeld';`,
		replace: '',
	},
	{
		name: 'a payee is remembered without the account',
		file: LEDGER,
		find: 'isAccountChanged: $isPairNew && [...$payee, ...$account].some($wasThere),',
		replace: 'isAccountChanged: false,',
	},
	{
		name: 'what was spent before does not count for the Daily Limit',
		file: DAILY_SPENDING,
		find: 'if (used + units > limit || used + units >= MAX_UNITS)',
		replace: 'if (units > limit)',
	},
	{
		name: 'an unknown payment does not count for the Daily Limit',
		file: SEND,
		find: `if ($result.outcome !== 'unknown') $dailyLimit?.release($row);`,
		replace: '$dailyLimit?.release($row);',
	},
	{
		name: 'the spelling of a Batch ID makes another batch',
		file: REFERENCE,
		find: `return replaceCharacters(normalizeText($batchId).toLowerCase(), SEPARATORS, '-');`,
		replace: 'return $batchId;',
	},
	{
		name: 'the spelling of the Key Columns makes other payments',
		file: PARSE_ROWS,
		find: '[$path, $identity.batchId, $who]',
		replace: '[$path, $identity.batchId, $identity.keyColumns, $who]',
	},
	{
		name: 'nobody is told that a node remembers nothing',
		file: REPORT,
		find: 'if (batch.ledger?.entries.isEmpty)',
		replace: 'if (false as boolean)',
	},
	{
		name: 'nobody is told that a full ledger drops entries',
		file: REPORT,
		find: '...(dropped > 0 ?',
		replace: '...(dropped < 0 ?',
	},
	{
		name: 'a full store grows',
		file: STORED_ENTRIES,
		find: 'await this.items.record([], MAX_ENTRIES);',
		replace: '',
	},
	{
		name: 'the hint adds up rows that were not created',
		file: BATCH_TEXTS,
		find: '$payments.filter(({ $result }) => $result.outcome === $counted)',
		replace: '$payments',
	},
	{
		name: 'the first line of an error counts rejected rows as created',
		file: BATCH_TEXTS,
		find: '$counts = grouped(inOrder($payments), ({ $result }) => $result.outcome);',
		replace: `$counts = grouped(inOrder($payments), ({ $result }) => $result.outcome === 'rejected' ? 'created' : $result.outcome);`,
	},
	{
		name: 'the expressions of the first row count for all rows',
		file: 'nodes/fields/parameters.ts',
		find: `isPlain(value) ? value : context.getNodeParameter(path, itemIndex, '')`,
		replace: `isPlain(value) ? value : context.getNodeParameter(path, 0, '')`,
	},
];

const EVENTS: SeededBug[] = [
	{
		name: 'events are emitted without being recorded',
		file: DEDUPLICATION,
		find: 'const $added = await record($items, $some);',
		replace: 'const $added = new Set($some.flatMap(entriesOf));',
	},
	{
		name: 'a retry does not get its events',
		file: DEDUPLICATION,
		find: 'if ($added.delete($event.key) || !$added.has(claimOf($event))) $taken.add($event);',
		replace: 'if ($added.delete($event.key)) $taken.add($event);',
	},
	{
		name: 'the lock is skipped',
		file: WORKFLOW_LOCK,
		find: 'const $isLocked = await this.acquire();',
		replace: 'const $isLocked = true;',
	},
	{
		name: 'claims are made without the lock',
		file: DEDUPLICATION,
		find: 'const { value: taken, wasExclusive } = await items.withLock(async () => { close(nodeOf($context), $batch); return await claim(items, $batch.incoming); });',
		replace:
			'close(nodeOf($context), $batch); const { taken, wasExclusive } = { taken: await claim(items, $batch.incoming), wasExclusive: true };',
	},
	{
		name: 'a waiting execution is left out of the batch',
		file: DEDUPLICATION,
		find: '$batch.incoming.push(...incoming);',
		replace: 'if ($batch.taken === undefined) $batch.incoming.push(...incoming);',
	},
	{
		name: 'all emissions of an event have the same identifier',
		file: RECEIVE,
		find: 'const $id = randomUUID();',
		replace: `const $id = 'delivered';`,
	},
	{
		name: "the worker's log does not name the events",
		file: EMIT,
		find: 'logEvents($context, $events);',
		replace: '',
	},
	{
		name: "the worker's log names the events after they are claimed",
		file: EMIT,
		find: 'logEvents($context, $events); try { return (await takeNew($context, $events)).map(',
		replace:
			'try { const late = await takeNew($context, $events); logEvents($context, $events); return late.map(',
	},
	{
		name: "the status is not part of an event's key",
		file: EVENT,
		find: 'return matches(PLAIN, $transactionId) && matches(PLAIN, $status)',
		replace:
			"\tif (status !== 'never') return `partnerPayments:${status}`;\n\treturn matches(PLAIN, transactionId) && matches(PLAIN, status)",
	},
	{
		name: 'all events without an identifier have the same key',
		file: EVENT,
		find: 'return hashKey($status !== undefined && $names.length > 0 ? [$names, $status] : $payload);',
		replace: 'return hashKey([$payload.status]);',
	},
	{
		name: 'deliveries are not verified',
		file: RECEIVE,
		find: 'if (isVerified($context) && !isSecret($given, $secretHash)) {',
		replace: `if ($given === 'never') {`,
	},
	{
		name: 'a poll looks at failed deliveries only',
		file: POLL,
		find: 'const $isFull = $now - $last.fullAt >= FULL_LOOK_MS;',
		replace: 'const $isFull = false;',
	},
	{
		name: 'events whose execution did not start are not emitted again',
		file: EXECUTIONS,
		find: 'if ($isRest || !hasBegun($run)) for (const { key } of $events) this.known.delete(key);',
		replace: '',
	},
	{
		name: 'the first read of the logs emits only what was delivered',
		file: 'nodes/PartnerPaymentsTrigger/look.ts',
		find: 'return $event.isDelivered ? isFull : !wasTriedWithin(REDELIVERY_MS, $event, $now);',
		replace: 'return $event.isDelivered && isFull;',
	},
	{
		name: 'an alarm hides all others until it ends',
		file: ALARMS,
		find: 'else if (!this.raised.has($condition)) {',
		replace: 'else if (this.raised.size === 0) {',
	},
	{
		name: 'events that a killed worker had not started are not emitted again',
		file: EXECUTIONS,
		find: `return $status !== 'error' || $data?.resultData.lastNodeExecuted !== undefined;`,
		replace: 'return $status !== undefined || $data !== undefined;',
	},
	{
		name: 'the logs are read only to the end of the first page',
		file: LOG_READER,
		find: 'if (await this.hasPassed(start())) return;',
		replace: 'return;',
	},
	{
		name: 'a page with an invalid entry counts as the last page',
		file: LOG_READER,
		find: '$page.rows.length === 0',
		replace: '$page.logs.length < $page.rows.length',
	},
	{
		name: 'pages seem sorted whatever their dates',
		file: LOG_READER,
		find: 'return SORT_FIELDS.find($isSorted) ?? null;',
		replace: 'return SORT_FIELDS[0];',
	},
	{
		name: 'an entry without an identifier counts as read',
		file: LOG_READER,
		find: 'return isId ? id : JSON.stringify($log);',
		replace: 'return id;',
	},
	{
		name: 'a payload that is text is ignored',
		file: LOG_ENTRY,
		find: 'return parseObject($payload);',
		replace: `return typeof $payload === 'string' ? undefined : parseObject($payload);`,
	},
	{
		name: 'an outage makes the start of n8n fail',
		file: REGISTRATION,
		find: 'if (!isAtStart($context) && !($isOutage && $isActive)) throw notRegistered($context, $error);',
		replace: 'if (!($isOutage && $isActive)) throw notRegistered($context, $error);',
	},
	{
		name: 'a new address is lost if n8n starts during an outage',
		file: REGISTRATION,
		find: 'if ($address !== undefined && $isNewOrOwn) $state.address = $address;',
		replace: '',
	},
	{
		name: 'the registration state of another n8n counts as own',
		file: REGISTRATION,
		find: 'return $owner === undefined || $owner === ownerId($context, $state.isTest) ? $state : {};',
		replace: 'return state;',
	},
	{
		name: 'an exported workflow has the same owner',
		file: REGISTRATION,
		find: '$context.getInstanceId(), $context.getWorkflow().id, $context.getNode().id,',
		replace: '$context.getNode().id,',
	},
	{
		name: 'a test listens on the published webhook',
		file: REGISTRATION,
		find: '$context.getNode().id, isTest,',
		replace: '$context.getNode().id,',
	},
	{
		name: 'a webhook is recognized by its address only',
		file: WEBHOOKS,
		find: 'return $named === $owner ||',
		replace: 'return',
	},
	{
		name: 'a full memory counts as one that was never full',
		file: DEDUPLICATION,
		find: 'return Math.min(Infinity, ...$known.map(({ end }) => end));',
		replace: 'return $known.length > 0 ? -Infinity : -Infinity;',
	},
	{
		name: 'events that wait because others are reported are not emitted',
		file: EXECUTIONS,
		find: 'return $context?.code === REPORT;',
		replace: 'return $context === REPORT;',
	},
	{
		name: 'the webhook is not repaired',
		file: REPAIR,
		find: 'await patchWebhook($service, $found.id, webhookBody($desired)).catch(',
		replace: 'await Promise.resolve().catch(',
	},
	{
		name: 'a poll repairs the webhook while n8n registers it',
		file: POLL,
		find: 'const $isBeingPublished = Math.abs(Date.now() - this.rules.startedAt) < PUBLICATION_MS;',
		replace: 'const $isBeingPublished = Date.now() - this.rules.startedAt < 1;',
	},
	{
		name: 'a missing webhook is not reported',
		file: REPAIR,
		find: "this.alarm = userMessage($found ? 'secretLost' : 'webhookMissing');",
		replace: '',
	},
	{
		name: 'a repair adopts the webhook of another trigger',
		file: WEBHOOKS,
		find: 'const $own = (await listWebhooks($service)).filter($isOwn);',
		replace: 'const $own = await listWebhooks($service);',
	},
	{
		name: 'Get Status says that webhooks cover statuses although they are switched off',
		file: 'nodes/logs/coverage.ts',
		find: 'const $on = $webhooks.filter(isActive);',
		replace: 'const $on = $webhooks;',
	},
	{
		name: 'a failed login is never tried again',
		file: SESSION,
		find: '!$account.replaced.has($account.current) &&',
		replace: '',
	},
];

const FUNDINGS: SeededBug[] = [
	{
		name: 'a payout gets the whole tokens of what it waits for',
		file: FUND_CONVERSIONS,
		find: 'amount: $toFund.amount,',
		replace: `amount: String(toFund.amount).split('.')[0],`,
	},
	{
		name: 'a payout that has ended is funded',
		file: ASK_LOGS,
		find: 'if (funded && hasMovedOn(funded.status))',
		replace: `if (funded?.status === 'never')`,
	},
	{
		name: 'a funding has a reference of its row, not of the payout that it funds',
		file: FUND_CONVERSIONS,
		find: `idempotencyKey(String($transactionId))`,
		replace: `String(Math.random())`,
	},
];

/** The seeded bugs of each kind of scenarios. */
export const SEEDED_BUGS: Record<ScenarioName, SeededBug[]> = {
	payments: PAYMENTS,
	fundings: FUNDINGS,
	events: EVENTS,
};
