/** A Google Sheets on this machine: as much of its interface as n8n's node uses to read and update rows. */
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import path from 'node:path';
import { E2E_DIR } from './paths.mjs';
import { listen } from './ports.mjs';

/** Sends n8n's requests to Google to a server on this machine. */
const REDIRECT = path.join(E2E_DIR, 'harness/googleRedirect.cjs');

const SHEET_ID = 0;

export async function startGoogleSheets() {
	const sheets = new GoogleSheets();
	await sheets.listen();
	return sheets;
}

/** One spreadsheet with one sheet. The first row has the column names. */
class GoogleSheets {
	#server = http.createServer((request, response) => void this.#answer(request, response));
	#port = 0;
	#title = '';

	/** @type {any[][]} */
	#cells = [];

	/** The address of the spreadsheet, as in a browser. */
	url = 'https://docs.google.com/spreadsheets/d/1aBcDeFgHiJkLmNoPqRsTuVwXyZ/edit';

	async listen() {
		this.#port = await listen(this.#server);
	}

	close() {
		this.#server.close();
	}

	/** What n8n has to be started with. */
	get env() {
		return { NODE_OPTIONS: `--require ${REDIRECT}`, GOOGLE_PORT: String(this.#port) };
	}

	/** A credential of a service account. */
	credential() {
		const { privateKey } = generateKeyPairSync('rsa', {
			modulusLength: 2048,
			privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
			publicKeyEncoding: { type: 'spki', format: 'pem' },
		});
		const data = { email: 'payroll@example.iam.gserviceaccount.com', privateKey };
		return { name: 'Google', type: 'googleApi', data };
	}

	/**
	 * Replaces the sheet by an empty one.
	 *
	 * @param {string} title
	 * @param {string[]} columns
	 */
	create(title, columns) {
		this.#title = title;
		this.#cells = [columns];
	}

	/** The rows below the column names, with the number of each. */
	get rows() {
		const [columns, ...rows] = this.#cells;
		return rows.map((cells, index) => ({
			...Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])),
			row_number: index + 2,
		}));
	}

	/** @param {Array<Record<string, any>>} rows */
	add(rows) {
		const [columns] = this.#cells;
		this.#cells.push(...rows.map((row) => columns.map((column) => row[column] ?? '')));
	}

	/**
	 * @param {number} rowNumber
	 * @param {Record<string, any>} values
	 */
	change(rowNumber, values) {
		for (const [column, value] of Object.entries(values)) {
			this.#cells[rowNumber - 1][this.#cells[0].indexOf(column)] = value;
		}
	}

	/** Turns the rows around, as a person who sorts them. */
	reverse() {
		const [columns, ...rows] = this.#cells;
		this.#cells = [columns, ...rows.reverse()];
	}

	/**
	 * @param {http.IncomingMessage} request
	 * @param {http.ServerResponse} response
	 */
	async #answer(request, response) {
		let text = '';
		for await (const part of request) text += part;
		const { pathname } = new URL(String(request.url), 'http://localhost');
		const body = this.#bodyOf(`${request.method} ${decodeURIComponent(pathname)}`, text);
		response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
		response.end(JSON.stringify(body ?? { error: { message: pathname } }));
	}

	#bodyOf(route, text) {
		if (route === 'POST /token') return { access_token: 'of-this-test', token_type: 'Bearer' };
		if (/^GET \/v4\/spreadsheets\/[^/]+$/.test(route)) {
			return { sheets: [{ properties: { title: this.#title, sheetId: SHEET_ID } }] };
		}
		if (/^GET \/v4\/spreadsheets\/[^/]+\/values\/.+$/.test(route)) return { values: this.#cells };
		if (/^POST \/v4\/spreadsheets\/[^/]+\/values:batchUpdate$/.test(route)) {
			for (const { range, values } of JSON.parse(text).data) this.#write(range, values);
			return { responses: [] };
		}
		return undefined;
	}

	/** Writes one cell, such as `payroll!C7`. */
	#write(range, [[value]]) {
		const [, letter, row] = /!([A-Z])(\d+)$/.exec(range) ?? [];
		this.#cells[Number(row) - 1][letter.charCodeAt(0) - 'A'.charCodeAt(0)] = value;
	}
}
