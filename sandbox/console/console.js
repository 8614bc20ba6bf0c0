/** The page of the sandbox's console. All data is inserted as text, never as markup. */

const $ = (id) => document.getElementById(id);

/** An element with properties and attributes. Missing children are omitted. */
function element(name, properties = {}, ...children) {
	const created = document.createElement(name);
	for (const [property, value] of Object.entries(properties)) {
		if (value === undefined) continue;
		if (property in created) created[property] = value;
		else created.setAttribute(property, value);
	}
	created.append(...children.filter((child) => child !== undefined && child !== null));
	return created;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const number = new Intl.NumberFormat();

function timeOf(iso, format = clock) {
	return element('time', { dateTime: iso, title: iso }, format.format(new Date(iso)));
}

const tones = {
	completed_transaction: 'good',
	processing_transaction: 'busy',
	reject_transaction: 'bad',
	failed_transaction: 'bad',
	expired_transaction: 'bad',
};

const statusNames = Object.fromEntries(
	[...document.querySelectorAll('[data-status]')].map(({ dataset, textContent }) => [
		dataset.status,
		textContent,
	]),
);

const tag = (text, tone = '') => element('span', { className: `tag ${tone}` }, text);
const small = (text) => element('small', {}, text);
const code = (text) => element('span', { className: 'code' }, text);
const statusTag = (status) => tag(statusNames[status] ?? status, tones[status]);

/** A button of a row. Its text names the action, its label the row. */
function rowButton(text, about) {
	const button = element('button', { type: 'button', ariaLabel: `${text} ${about}` }, text);
	button.dataset.action = text;
	return button;
}

/** The start and end of an address or identifier. */
function shortened(text) {
	return text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`;
}

// Messages

let messageTimer;

/** Shows the result of a command near the control that was used. */
function say(text, bad = false) {
	const inDialog = $('transaction-dialog').open;
	const place = $(inDialog ? 'transaction-message' : 'message');
	place.classList.toggle('bad', bad);
	place.textContent = text;
	clearTimeout(messageTimer);
	// An error stays until the next message.
	if (!bad) messageTimer = setTimeout(() => (place.textContent = ''), 8000);
}

async function admin(method, path, body) {
	const response = await fetch(`/admin${path}`, {
		method,
		...(body && {
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		}),
	});
	const answer = await response.json();
	if (!response.ok) throw new Error([answer.message].flat().join('; '));
	return answer;
}

/** Runs a command and shows its result. */
async function command(act) {
	try {
		say(await act());
	} catch (error) {
		say(`The command failed: ${error.message}`, true);
	}
}

// Tables

/**
 * Updates a table's rows. Unchanged rows keep their elements, and so their focus, selection and scroll
 * position.
 */
class LiveTable {
	constructor(id, columns, keyOf, actions = {}) {
		this.columns = columns;
		this.keyOf = keyOf;
		this.table = $(id);
		this.empty = this.table.parentElement.querySelector('.empty');
		this.rows = new Map();
		this.body = element('tbody', { role: 'rowgroup' });
		this.body.addEventListener('click', ({ target }) => {
			const button = target.closest('button');
			if (button === null) return;
			const line = button.closest('tr');
			const { item } = [...this.rows.values()].find((row) => row.line === line);
			actions[button.dataset.action](item);
		});
		// Explicit roles: some browsers drop them if a table is laid out as cards.
		this.table.setAttribute('role', 'table');
		this.table.append(
			element(
				'thead',
				{ role: 'rowgroup' },
				element(
					'tr',
					{ role: 'row' },
					...columns.map(({ title, look = '', hidden }) =>
						element(
							'th',
							{ scope: 'col', role: 'columnheader', className: look },
							hidden ? element('span', { className: 'unseen' }, title) : title,
						),
					),
				),
			),
			this.body,
		);
		this.show([]);
		this.known = false;
	}

	show(items) {
		this.table.hidden = items.length === 0;
		this.empty.hidden = items.length > 0;

		const kept = new Map();
		for (const item of items) {
			const key = String(this.keyOf(item));
			const row = this.rows.get(key) ?? this.newRow();
			this.rows.delete(key);
			this.draw(row, item);
			kept.set(key, row);
		}
		for (const { line } of this.rows.values()) line.remove();
		this.rows = kept;
		this.known = true;

		let next = this.body.firstElementChild;
		for (const { line } of kept.values()) {
			if (line === next) next = next.nextElementSibling;
			else this.body.insertBefore(line, next);
		}
	}

	newRow() {
		const cells = this.columns.map(({ look = '' }) =>
			element('td', { role: 'cell', className: look }),
		);
		const line = element('tr', { role: 'row', className: this.known ? 'arrived' : '' }, ...cells);
		return { line, cells, drawn: '' };
	}

	draw(row, item) {
		row.item = item;
		const text = JSON.stringify(item);
		if (row.drawn === text) return;
		row.drawn = text;
		const focused = row.line.contains(document.activeElement) ? document.activeElement : undefined;
		this.columns.forEach(({ cell }, index) => fill(row.cells[index], [cell(item)].flat()));
		if (focused !== undefined && document.activeElement !== focused) {
			const next = focused.isConnected ? focused : row.line.querySelector('button');
			next?.focus({ preventScroll: true });
		}
	}
}

/** Sets the content of a cell, and keeps equal elements, to which a dialog may return the focus. */
function fill(cell, parts) {
	const present = [...cell.childNodes];
	const wanted = parts
		.filter((part) => part !== undefined && part !== null)
		.map((part) => (part instanceof Node ? part : document.createTextNode(part)))
		.map((part) => present.find((node) => node.isEqualNode(part)) ?? part);
	const same = wanted.length === present.length && wanted.every((node, at) => node === present[at]);
	if (!same) cell.replaceChildren(...wanted);
}

/** The owner, if there is more than one business. */
let severalBusinesses = false;
const owner = ({ business }) => (severalBusinesses ? small(business) : undefined);

const nameOf = ({ typeName, reference, id }) => `${typeName} ${reference ?? id}`;

const tables = {
	transactions: new LiveTable(
		'transactions-table',
		[
			{ title: 'Time', look: 'tight', cell: ({ createdAt }) => timeOf(createdAt) },
			{
				title: 'Type',
				look: 'tight second',
				cell: (one) => [one.typeName, small(one.type), owner(one)],
			},
			{
				title: 'Payee',
				look: 'full',
				cell: ({ payee }) =>
					payee && (payee.account ? [payee.name, small(payee.account)] : code(payee.name)),
			},
			{
				title: 'Reference',
				look: 'full',
				cell: ({ reference }) => (reference === null ? 'none' : code(reference)),
			},
			{
				title: 'Amount',
				look: 'number tight',
				cell: ({ amount, asset, blockchain }) => [
					amount === undefined ? `unknown ${asset}` : `${amount} ${asset}`,
					blockchain === undefined ? undefined : small(blockchain),
				],
			},
			{ title: 'Status', look: 'tight second', cell: ({ status }) => statusTag(status) },
			{
				title: 'Actions',
				look: 'tight full actions',
				hidden: true,
				cell: (one) => [
					one.type === 'deposit_express' && one.status !== 'completed_transaction'
						? rowButton('Pay', nameOf(one))
						: undefined,
					rowButton('Open', nameOf(one)),
				],
			},
		],
		({ id }) => id,
		{ Pay: ({ id }) => command(() => pay(id)), Open: ({ id }) => openTransaction(id) },
	),

	requests: new LiveTable(
		'requests-table',
		[
			{ title: 'Time', look: 'tight', cell: ({ at }) => timeOf(at) },
			{ title: 'Response', look: 'tight second', cell: answerTag },
			{
				title: 'Request',
				look: 'full',
				cell: ({ method, path }) => code(`${method} ${path}`),
			},
			{
				title: 'Body',
				look: 'clip full',
				cell: ({ body }) => (body === undefined ? undefined : code(body.replace(/\s+/g, ' '))),
			},
			{
				title: 'Actions',
				look: 'tight full actions',
				hidden: true,
				cell: (one) => rowButton('Open', `request ${one.number}: ${one.method} ${one.path}`),
			},
		],
		(one) => one.number,
		{ Open: openRequest },
	),

	deliveries: new LiveTable(
		'deliveries-table',
		[
			{ title: 'Time', look: 'tight', cell: ({ updatedAt }) => timeOf(updatedAt) },
			{
				title: 'Result',
				look: 'tight second',
				cell: ({ status, statusCode }) =>
					tag(
						`${status === 'SUCCESS' ? 'Success' : 'Error'} ${statusCode || 'no response'}`,
						status === 'SUCCESS' ? 'good' : 'bad',
					),
			},
			{
				title: 'Event',
				look: 'tight',
				cell: ({ event }) => statusNames[event] ?? event ?? 'other',
			},
			{
				title: 'Webhook',
				look: 'full',
				cell: (one) => [
					code(one.webhookUrl),
					one.reason ? small(one.reason) : undefined,
					owner(one),
				],
			},
			{
				title: 'Retries',
				look: 'number tight',
				cell: ({ retries }) => [
					element('span', { className: 'narrow' }, 'Retries '),
					String(retries),
				],
			},
			{
				title: 'Actions',
				look: 'tight second actions',
				hidden: true,
				cell: (one) => rowButton('Open', `delivery to ${one.webhookUrl} at ${one.updatedAt}`),
			},
		],
		({ id }) => id,
		{ Open: openDelivery },
	),

	faults: new LiveTable(
		'faults-table',
		[
			{
				title: 'Fault',
				cell: (rule) => [
					describeFault(rule.fault),
					small([rule.match?.method, rule.match?.path ?? 'any path'].filter(Boolean).join(' ')),
				],
			},
			{
				title: 'Struck',
				look: 'number tight',
				cell: ({ hits, times = 1 }) =>
					`${number.format(hits)} ${times === 'always' ? 'so far' : `of ${number.format(times)}`}`,
			},
			{
				title: 'Actions',
				look: 'tight actions',
				hidden: true,
				cell: ({ fault }) => rowButton('Remove', `fault: ${describeFault(fault)}`),
			},
		],
		({ id }) => id,
		{
			Remove: ({ id, fault }) =>
				command(async () => {
					await admin('DELETE', `/faults/${id}`);
					return `Removed the fault: ${describeFault(fault)}.`;
				}),
		},
	),

	webhooks: new LiveTable(
		'webhooks-table',
		[
			{
				title: 'Webhook',
				cell: (one) => [
					one.description || 'No description',
					small(one.url),
					small(
						`${one.events.map((event) => statusNames[event] ?? event).join(', ')}; ${
							one.hasApiKey ? 'with' : 'without'
						} API key`,
					),
					owner(one),
				],
			},
			{
				title: 'Status',
				look: 'tight',
				cell: ({ status }) => tag(status, status === 'ACTIVE' ? 'good' : ''),
			},
		],
		({ id }) => id,
	),

	balances: new LiveTable(
		'balances-table',
		[
			{ title: 'Type', cell: (one) => [one.type, owner(one)] },
			{
				title: 'Available',
				look: 'number tight',
				cell: ({ balance, fiat }) => `${number.format(balance)} ${fiat}`,
			},
		],
		({ type, fiat, business }) => `${business} ${type} ${fiat}`,
	),

	wallets: new LiveTable(
		'wallets-table',
		[
			{
				title: 'Wallet',
				cell: (one) => [
					...one.assets.map(({ symbol, blockchain, walletAddress }) =>
						element(
							'div',
							{},
							`${symbol} on ${blockchain} `,
							element(
								'span',
								{ className: 'code', title: walletAddress },
								shortened(walletAddress),
							),
						),
					),
					small(one.walletId),
					owner(one),
				],
			},
			{
				title: 'Status',
				look: 'tight',
				cell: ({ status }) => tag(status, status === 'ACTIVE' ? 'good' : ''),
			},
		],
		({ walletId }) => walletId,
	),

	clients: new LiveTable(
		'clients-table',
		[
			{
				title: 'Client',
				cell: (one) => [one.name, small(`${one.email}, ${one.type}, ${one.country}`), owner(one)],
			},
			{
				title: 'Status',
				look: 'tight',
				cell: ({ status }) =>
					tag(status, { Active: 'good', Rejected: 'bad', Suspended: 'bad' }[status]),
			},
		],
		({ id }) => id,
	),
};

function answerTag({ status }) {
	if (status === undefined) return tag('in flight', 'busy');
	return tag(String(status), status < 400 ? 'good' : 'bad');
}

function describeFault({ type, status, ms, retryAfter, abort, when }) {
	const words = {
		status: `Status ${status}${retryAfter === undefined ? '' : `, Retry-After ${retryAfter}`}`,
		latency: `Delay of ${number.format(ms ?? 0)} ms`,
		reset: 'Connection reset',
		hang: 'No response',
		truncate: `Truncated response${abort ? ', connection lost' : ''}`,
		html: 'A proxy’s HTML page',
		empty: 'Empty response',
		json: 'Other JSON response',
	}[type];
	return when === undefined ? words : `${words}, ${when} processing`;
}

// Details

function facts(list, entries) {
	list.replaceChildren(
		...entries
			.filter(([, value]) => value !== undefined && value !== null)
			.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
	);
}

let openedTransaction;

async function pay(id) {
	const { reference } = await admin('POST', `/deposits/${id}/pay`);
	return `The deposit ${reference} is paid.`;
}

async function openTransaction(id) {
	openedTransaction = id;
	await command(async () => {
		await drawTransaction();
		$('transaction-message').textContent = '';
		$('transaction-dialog').showModal();
		return '';
	});
}

async function drawTransaction() {
	const id = openedTransaction;
	const one = await admin('GET', `/transactions/${id}`);
	if (id !== openedTransaction) return;

	facts($('transaction-facts'), [
		['Type', one.type],
		['Reference', one.reference ?? 'none'],
		['Amount', `${one.amount ?? 'unknown'} ${one.asset}`],
		['Blockchain', one.blockchain],
		['Status', statusTag(one.status)],
		['Created', timeOf(one.createdAt, moment)],
		['Identifier', code(one.id)],
		['Hash', one.transactionHash && code(one.transactionHash)],
		['Business', severalBusinesses ? one.business : undefined],
	]);
	const isQrDeposit = one.type === 'deposit_express';
	$('transaction-qr').hidden = !isQrDeposit;
	if (isQrDeposit) {
		const source = `/console/qr/${one.id}`;
		const image = $('qr-image');
		if (image.getAttribute('src') !== source) image.src = source;
		image.alt = `QR code of the deposit ${one.reference}`;
		$('pay').hidden = one.status === 'completed_transaction';
	}
	for (const button of $('transaction-states').querySelectorAll('button')) {
		button.setAttribute('aria-pressed', String(button.dataset.status === one.status));
	}
	$('transaction-history').replaceChildren(
		...one.history.map(({ status, at }) =>
			element('li', {}, `${statusNames[status]}, `, timeOf(at, moment)),
		),
	);
	$('transaction-request').textContent = JSON.stringify(one.request, null, 2);
}

function openRecord(title, entries, texts) {
	$('record-title').textContent = title;
	facts($('record-facts'), entries);
	$('record-texts').replaceChildren(
		...texts
			.filter(([, text]) => text !== undefined && text !== '{}')
			.flatMap(([name, text], index) => {
				const id = `record-text-${index}`;
				return [
					element('h3', { id }, name),
					element('pre', { role: 'region', 'aria-labelledby': id, tabIndex: 0 }, text),
				];
			}),
	);
	$('record-dialog').showModal();
}

function openRequest(one) {
	openRecord(
		`Request ${one.number}`,
		[
			['Request', code(`${one.method} ${one.path}`)],
			['Answer', answerTag(one)],
			['Arrived', timeOf(one.at, moment)],
		],
		[
			['Query', one.query],
			['Body', one.body],
			['Headers', one.headers],
		],
	);
}

function openDelivery(one) {
	openRecord(
		'Webhook delivery',
		[
			['Webhook', one.name || one.webhookId],
			['Address', code(one.webhookUrl)],
			['Result', tag(one.status, one.status === 'SUCCESS' ? 'good' : 'bad')],
			['Status code', one.statusCode === 0 ? 'no response' : String(one.statusCode)],
			['Reason', one.reason],
			['Retries', String(one.retries)],
			['Duration', `${number.format(one.duration)} ms`],
			['Sent', timeOf(one.createdAt, moment)],
		],
		[['Payload', one.payload]],
	);
}

for (const dialog of document.querySelectorAll('dialog')) {
	dialog.addEventListener('click', ({ target }) => {
		// A click on the backdrop has the dialog itself as its target.
		const outside = target === dialog && dialog.id !== 'reset-dialog';
		if (outside || target.closest('[data-close]')) dialog.close();
	});
}

$('transaction-dialog').addEventListener('close', () => (openedTransaction = undefined));

$('transaction-states').addEventListener('click', ({ target }) => {
	const button = target.closest('button');
	if (button === null) return;
	const { status } = button.dataset;
	const again = button.getAttribute('aria-pressed') === 'true';
	void command(async () => {
		await admin('POST', `/transactions/${openedTransaction}/status`, { status, force: true });
		await drawTransaction();
		const name = statusNames[status];
		return again ? `Sent the event for ${name} again.` : `Changed to ${name}.`;
	});
});

$('pay').addEventListener('click', () =>
	command(async () => {
		const outcome = await pay(openedTransaction);
		await drawTransaction();
		// The button with the focus is gone.
		if ($('pay').hidden) $('transaction-dialog').querySelector('[data-close]').focus();
		return outcome;
	}),
);

// Commands

$('revoke-tokens').addEventListener('click', () =>
	command(async () => {
		const { revoked } = await admin('POST', '/tokens/revoke', {});
		return `Tokens revoked: ${number.format(revoked)}. Requests with them now get a 401.`;
	}),
);

$('reset').addEventListener('click', () => {
	$('reset-dialog').returnValue = '';
	$('reset-dialog').showModal();
});

$('reset-dialog').addEventListener('close', () => {
	if ($('reset-dialog').returnValue !== 'reset') return;
	void command(async () => {
		await admin('POST', '/reset', { keepSettings: $('keep-settings').checked });
		return 'The sandbox was reset.';
	});
});

$('clear-requests').addEventListener('click', () =>
	command(async () => {
		await admin('DELETE', '/requests');
		return 'Cleared the requests.';
	}),
);

$('remove-faults').addEventListener('click', () =>
	command(async () => {
		const { removed } = await admin('DELETE', '/faults');
		return `Faults removed: ${number.format(removed)}.`;
	}),
);

/** Shows the fields of the chosen fault. The others are disabled, so that the form ignores them. */
function fitFaultForm() {
	for (const field of $('fault-form').querySelectorAll('[data-for]')) {
		field.hidden = field.dataset.for !== $('fault-type').value;
		field.querySelector('input, textarea').disabled = field.hidden;
	}
	$('fault-times').disabled = $('fault-always').checked;
}

$('fault-form').addEventListener('change', fitFaultForm);
fitFaultForm();

function jsonOf(text) {
	try {
		return JSON.parse(text);
	} catch ({ message }) {
		throw new Error(`The JSON body is not valid. ${message}`);
	}
}

function faultOfForm() {
	const type = $('fault-type').value;
	const retryAfter = $('fault-retry-after').value.trim();
	const own = {
		status: () => ({
			status: $('fault-status').valueAsNumber,
			...(retryAfter && { retryAfter: /^\d+$/.test(retryAfter) ? Number(retryAfter) : retryAfter }),
		}),
		latency: () => ({ ms: $('fault-ms').valueAsNumber }),
		truncate: () => ($('fault-abort').checked ? { abort: true } : {}),
		json: () => ({ body: jsonOf($('fault-body').value) }),
	}[type];
	const when = $('fault-when').value;
	return { type, ...own?.(), ...(when && { when }) };
}

$('fault-form').addEventListener('submit', (event) => {
	event.preventDefault();
	void command(async () => {
		const path = $('fault-path').value.trim();
		const { fault } = await admin('POST', '/faults', {
			...(path && { match: { path } }),
			times: $('fault-always').checked ? 'always' : $('fault-times').valueAsNumber,
			fault: faultOfForm(),
		});
		return `Added the fault: ${describeFault(fault)} on ${path || 'any path'}.`;
	});
});

/** The latency of all requests: a fault rule without conditions. */
const isLatency = ({ match, skip, times, probability, fault }) =>
	fault.type === 'latency' &&
	times === 'always' &&
	match === undefined &&
	skip === undefined &&
	probability === undefined;

let latest = { settings: {}, faults: [] };
let behaviourTouched = false;

const latencyNow = () =>
	latest.faults.filter(isLatency).reduce((sum, { fault }) => sum + fault.ms, 0);

function showBehaviour() {
	if (behaviourTouched) return;
	$('duplicate-references').value = latest.settings.duplicateReferences;
	$('state-clock').value = latest.settings.stateClockMs ?? 0;
	$('latency').value = latencyNow();
}

$('behaviour-form').addEventListener('input', () => (behaviourTouched = true));

$('behaviour-form').addEventListener('submit', (event) => {
	event.preventDefault();
	void command(async () => {
		await admin('PATCH', '/settings', {
			duplicateReferences: $('duplicate-references').value,
			stateClockMs: $('state-clock').valueAsNumber || null,
		});
		const ms = $('latency').valueAsNumber;
		const rules = await admin('GET', '/faults');
		const present = rules.filter(isLatency);
		if (present.reduce((sum, { fault }) => sum + fault.ms, 0) !== ms) {
			for (const { id } of present) await admin('DELETE', `/faults/${id}`);
			if (ms > 0)
				await admin('POST', '/faults', { times: 'always', fault: { type: 'latency', ms } });
		}
		behaviourTouched = false;
		return 'Applied.';
	});
});

// Updates from the sandbox

function showCounters({ requests, inFlight, maxInFlight, logins, loginFailures, ...others }) {
	const { transactionsCreated, duplicates, deliveries, businesses } = others;
	severalBusinesses = businesses > 1;
	const entries = {
		Requests: requests,
		'In flight': inFlight,
		Peak: maxInFlight,
		Logins: logins,
		'Rejected logins': loginFailures,
		Transactions: transactionsCreated,
		Duplicates: duplicates,
		'Deliveries pending': deliveries.pending,
		'Deliveries failed': deliveries.failed,
	};
	$('counters').replaceChildren(
		...Object.entries(entries).map(([name, value]) =>
			element('div', {}, element('dt', {}, name), element('dd', {}, number.format(value))),
		),
	);
}

function countText({ total, matching = total, rows }) {
	if (total === 0) return '';
	const shown = rows.length < matching ? `newest ${number.format(rows.length)} of ` : '';
	const of = matching === total ? '' : ` of ${number.format(total)} match`;
	return `${shown}${number.format(matching)}${of}`;
}

let announceMatches = false;

function show(news) {
	Object.assign(latest, news);
	if (news.counters) showCounters(news.counters);
	if (news.settings || news.faults) showBehaviour();
	for (const [name, table] of Object.entries(tables)) {
		const section = news[name];
		if (section === undefined) continue;
		const list = Array.isArray(section) ? { total: section.length, rows: section } : section;
		table.show(list.rows);
		const count = $(`${name}-count`);
		if (count) count.textContent = countText(list);
	}
	if (news.transactions) {
		const { matching, total } = news.transactions;
		tables.transactions.empty.textContent =
			total === 0
				? 'No transactions yet. They appear as soon as the node creates one.'
				: 'No transaction matches the filter.';
		if (announceMatches) say(`${number.format(matching)} of ${number.format(total)} match.`);
		announceMatches = false;
		if (openedTransaction !== undefined) {
			// A reset removes the transaction.
			if (total === 0) $('transaction-dialog').close();
			else drawTransaction().catch(() => $('transaction-dialog').close());
		}
	}
}

let source;
let paused = false;

function connection(state, text) {
	$('connection').dataset.state = state;
	$('connection').textContent = text;
}

function disconnect() {
	source?.close();
	source = undefined;
}

function connect() {
	disconnect();
	if (paused || document.hidden) return;
	const find = $('transactions-filter').value.trim();
	const opened = new EventSource(`/console/events?${new URLSearchParams({ find })}`);
	source = opened;
	opened.addEventListener('open', () => connection('live', 'Live'));
	opened.addEventListener('message', ({ data }) => show(JSON.parse(data)));
	opened.addEventListener('error', () => {
		connection('lost', 'Connection lost, reconnecting');
		// The browser stops after an error response, but the sandbox may be restarted.
		if (opened.readyState === EventSource.CLOSED && opened === source) setTimeout(connect, 2000);
	});
}

// A hidden page needs no updates.
document.addEventListener('visibilitychange', connect);

$('pause').addEventListener('click', () => {
	paused = !paused;
	$('pause').setAttribute('aria-pressed', String(paused));
	if (paused) connection('waiting', 'Paused');
	connect();
});

let filterTimer;
$('transactions-filter').addEventListener('input', () => {
	clearTimeout(filterTimer);
	filterTimer = setTimeout(() => {
		announceMatches = true;
		connect();
	}, 250);
});

connect();
