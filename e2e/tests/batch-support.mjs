import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { CREDENTIAL_TYPE, NODE, partnerPayments } from './support.mjs';

export const BANK_PATH = '/v3/transactions/payouts/bank';
export const START = 'Start';

/** A UUID for a number. */
export const referenceOf = (number) =>
	`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const references = (count) =>
	Array.from({ length: count }, (_, number) => referenceOf(number));

/** A correct row of a sheet of bank payouts, as the cells of a CSV file are: all text. */
export function bankRow(number, changes = {}) {
	return {
		external_reference: referenceOf(number),
		funding_source: 'balance',
		first_name: 'María José',
		last_name: `Quispe ${number}`,
		destination_id_number: '0812345',
		bank_code: '0010',
		destination_account: String(1000 + number),
		amount: '100.50',
		currency_type: 'BOB',
		description: 'Sueldo, noviembre',
		...changes,
	};
}

export const bankRows = (count) => Array.from({ length: count }, (_, number) => bankRow(number));

/** Rows whose reference the node makes. */
export const rowsWithoutReference = (count) =>
	bankRows(count).map(({ external_reference, ...row }) => row);

/** A node that pays each row by bank transfer, from columns. */
export function payRows(stage, { name = NODE, options = {}, parameters = {}, ...settings } = {}) {
	return {
		name,
		...partnerPayments(
			stage,
			{
				resource: 'payout',
				operation: 'createBank',
				rowSource: 'columns',
				referenceSource: 'given',
				...parameters,
				options,
			},
			settings,
		),
	};
}

/** Parameters for references that the node makes. */
export const generated = (batchId, keyColumns = '') => ({
	referenceSource: 'generated',
	batchId,
	keyColumns,
});

/**
 * A workflow of a manual trigger, which gives out the rows, and nodes one after the other.
 *
 * @param {object[]} nodes
 * @param {{ rows?: object[], settings?: object }} [options]
 */
export function chainOf(nodes, { rows = [{}], settings = {} } = {}) {
	const all = [
		{ name: START, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
		...nodes,
	];
	return {
		name: 'Batch',
		nodes: all.map((node, index) => ({ id: `node-${index}`, position: [220 * index, 0], ...node })),
		connections: Object.fromEntries(
			all.slice(0, -1).map(({ name }, index) => [name, connectionTo(all[index + 1].name)]),
		),
		pinData: { [START]: rows.map((json) => ({ json })) },
		settings: { executionOrder: 'v1', ...settings },
	};
}

/** The connections of a node whose outputs each lead to one node. */
export function connectionTo(...names) {
	return { main: names.map((node) => (node ? [{ node, type: 'main', index: 0 }] : [])) };
}

/** The nodes that read a CSV file as the payroll example does. */
export function csvNodes(file) {
	return [
		{
			name: 'Read File',
			type: 'n8n-nodes-base.readWriteFile',
			typeVersion: 1.1,
			parameters: { operation: 'read', fileSelector: file, options: {} },
		},
		{
			name: 'Get Rows',
			type: 'n8n-nodes-base.extractFromFile',
			typeVersion: 1.1,
			parameters: {
				operation: 'csv',
				binaryPropertyName: 'data',
				options: { enableBOM: true, includeEmptyCells: true },
			},
		},
	];
}

/** Write a file into the folder from which n8n may read; returns its path. */
export function writeCsv({ filesFolder }, name, rows) {
	const headers = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const cell = (value) => {
		const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
		return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	};
	const lines = [headers, ...rows.map((row) => headers.map((header) => row[header]))];
	const file = path.join(filesFolder, name);
	writeFileSync(file, `${lines.map((line) => line.map(cell).join(',')).join('\n')}\n`);
	return file;
}

/** What the node says of each row, in its outputs or in the error that stopped it, in the order of the rows. */
export function reported(execution, { node = NODE, run = -1 } = {}) {
	const error = execution.nodeError(node, { run });
	if (error) return error.context?.rows ?? [];
	return [0, 1]
		.flatMap((output) => execution.items(node, { output, run }))
		.map(({ json, pairedItem }) => ({
			...(typeof json.error === 'object' ? json.error : json),
			item: (Array.isArray(pairedItem) ? pairedItem[0] : pairedItem).item,
		}))
		.sort((a, b) => a.item - b.item);
}

export const outcomes = (execution, options) =>
	reported(execution, options).map(({ outcome }) => outcome);

/** What the sandbox did with the bank payouts that it received. */
export async function evidence({ sandbox }) {
	const [transactions, requests, counters] = await Promise.all([
		sandbox.transactions(),
		sandbox.requests({ method: 'POST', path: BANK_PATH }),
		sandbox.counters(),
	]);
	return {
		/** References of the transactions that exist. */
		created: transactions.map(({ reference }) => reference).sort(),
		/** References of the payments that came with a valid token, in the order in which they came. */
		posted: requests
			.filter(({ status }) => status !== 401)
			.map(({ body }) => body.external_reference),
		/** Transaction identifiers by reference. */
		ids: new Map(transactions.map(({ id, reference }) => [reference, id])),
		transactions,
		requests,
		duplicates: counters.duplicates,
		logins: counters.logins,
		maxInFlight: counters.maxInFlight,
	};
}

/** The figures of a test, for its report. */
export function figures(rows, { created, posted, duplicates, logins }, more = '') {
	return `rows ${rows}, sent ${posted.length}, created ${created.length}, duplicates ${duplicates}, logins ${logins}${more}`;
}

/** Lets the sandbox do something to the payments whose body contains a text (or to all), once unless told. */
export async function strike({ sandbox }, text, fault, rule = {}) {
	await sandbox.addFault({
		match: { method: 'POST', path: BANK_PATH, ...(text && { bodyContains: text }) },
		fault,
		...rule,
	});
}

/** A proxy before the service that sees every token, to know what to look for. */
export async function startWiretap(target) {
	const { hostname, port } = new URL(target);
	const tokens = new Set();
	const server = http.createServer((request, response) => {
		const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
		if (token) tokens.add(token);
		const { method, url, headers } = request;
		const forward = http.request({ hostname, port, method, path: url, headers }, (answer) => {
			const parts = [];
			answer.on('data', (part) => parts.push(part));
			answer.on('end', () => {
				const body = Buffer.concat(parts);
				for (const [value] of body.toString().matchAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g)) {
					tokens.add(value);
				}
				response.writeHead(answer.statusCode, answer.headers);
				response.end(body);
			});
			answer.on('error', () => response.destroy());
		});
		// A connection that the service cuts is cut here too.
		forward.on('error', () => response.destroy());
		request.pipe(forward);
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = new URL(target);
	url.port = String(server.address().port);
	return {
		url: url.href.replace(/\/$/, ''),
		tokens,
		close() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(resolve));
		},
	};
}

/** The node with another credential. */
export function withCredential(node, { id, name }) {
	return { ...node, credentials: { [CREDENTIAL_TYPE]: { id, name } } };
}
