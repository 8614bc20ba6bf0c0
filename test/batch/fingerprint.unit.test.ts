import type { Values } from '../../nodes/fields/validators';
import { canonicalAmount, totalsOf } from '../../nodes/batch/totals';
import { fingerprint, parseFingerprint, type Fingerprint } from '../../nodes/batch/fingerprint';
import type { FinishedPayment } from '../../nodes/batch/facts';
import type { Outcome, Row } from '../../nodes/batch/payment';
import { summarize } from '../../nodes/batch/summary';
import { userMessage } from '../../nodes/messages/userMessage';
import type { Target } from '../../nodes/service/baseUrl';
import type { Service } from '../../nodes/service/transport';
import { BANK, batchOf, paidBy } from './builders';

const summaryOf = async (payments: FinishedPayment[], target: Target | undefined) =>
	await summarize(batchOf({ service: target && ({ target } as Service) }), payments);

const TARGET: Target = {
	credential: 'Payments',
	host: 'partner.example',
	environment: 'production',
	account: 'account-1',
};

/** A row of bank payouts. */
function row(itemIndex: number, amount?: string, values: Values = {}): Row {
	return {
		itemIndex,
		reference: `Ref-${itemIndex}`,
		idempotencyKey: `ref-${itemIndex}`,
		values: {
			amount,
			currencyType: 'BOB',
			fundingSource: 'balance',
			bankCode: '1001',
			destinationAccount: '0012',
			description: 'Salary',
			...values,
		},
		body: { number: itemIndex },
		errors: [],
	};
}

const usd = (itemIndex: number, amount: string): Row =>
	row(itemIndex, amount, { currencyType: 'USD' });

const paid = (of: Row) => paidBy(BANK, of);

const ended = (of: Row, outcome: Outcome): FinishedPayment => ({
	...paid(of),
	result: { outcome, reference: of.reference, message: `why ${outcome}` },
});

describe('amounts', () => {
	test.each<[unknown, string | undefined]>([
		['0012.50', '12.5'],
		['1,250.00', '1250'],
		[0.3, '0.3'],
		['1.250,00', undefined],
		['', undefined],
		[undefined, undefined],
	])('reads %p as the decimal %p', (amount, decimal) => {
		expect(canonicalAmount(amount)).toBe(decimal);
	});
});

describe('totals', () => {
	test('groups totals by currency, in the order of the rows', () => {
		const rows = [usd(0, '1.10'), row(1, '100'), usd(2, '2.2'), row(3, '0.5')];
		const totals = totalsOf(rows.map(paid));
		expect([...totals]).toEqual([
			['USD', '3.3'],
			['BOB', '100.5'],
		]);
	});

	test('leaves unknown amounts out of totals', () => {
		const rows = [row(0), row(1, '7')];
		const totals = totalsOf(rows.map(paid));
		expect([...totals]).toEqual([['BOB', '7']]);
	});
});

describe('summary', () => {
	const ERROR = { field: 'Amount', ...userMessage('required') };
	const ROWS = [
		row(0, '10.50'),
		usd(1, '3'),
		row(2, '99.90', { fundingSource: 'conversion' }),
		row(3, '20'),
		row(4),
	];

	test('summarizes everything that a person has to approve', async () => {
		const payments = [
			...ROWS.slice(0, 3).map((one) => ended(one, 'ready')),
			...ROWS.slice(3).map((one) => ended(one, 'alreadySent')),
			...[5, 6].map((index) => ended({ ...row(index, '1000'), errors: [ERROR] }, 'notSent')),
		];
		expect(await summaryOf(payments, TARGET)).toEqual({
			count: 5,
			ready: 3,
			invalidRows: 2,
			costs: [expect.objectContaining({ asset: 'USDC' })],
			unknownAmounts: 1,
			totals: [
				{ currency: 'BOB', fundingSource: 'balance', count: 2, amount: '30.5' },
				{ currency: 'USD', fundingSource: 'balance', count: 1, amount: '3' },
				{ currency: 'BOB', fundingSource: 'conversion', count: 1, amount: '99.9' },
			],
			environment: 'production',
			host: 'partner.example',
			alreadySent: 2,
			recorded: 2,
			flagged: [],
			isStoreEmpty: false,
			readyText: '3 payments, 110.40 BOB, 3.00 USD',
			fingerprint: fingerprint(BANK, ROWS.map(paid), TARGET).text,
			html: expect.any(String),
			text: expect.any(String),
		});
	});

	test('summarizes a batch without a credential, environment or host', async () => {
		expect(await summaryOf([], undefined)).toEqual({
			count: 0,
			ready: 0,
			invalidRows: 0,
			costs: [],
			unknownAmounts: 0,
			totals: [],
			environment: '',
			host: '',
			alreadySent: 0,
			recorded: 0,
			flagged: [],
			isStoreEmpty: false,
			readyText: '0 payments',
			fingerprint: fingerprint(BANK, []).text,
			html: expect.any(String),
			text: expect.any(String),
		});
	});

	test('leaves the environment of the summary empty if none is stated', async () => {
		const target = { ...TARGET, environment: undefined };
		expect(await summaryOf([], target)).toMatchObject({
			environment: '',
			host: 'partner.example',
		});
	});

	test('totals payments without a funding source', async () => {
		const payments = [ended(row(0, '9', { fundingSource: undefined }), 'ready')];
		expect((await summaryOf(payments, TARGET)).totals).toEqual([
			{ currency: 'BOB', fundingSource: '', count: 1, amount: '9' },
		]);
	});

	test('counts an unreadable amount as unknown', async () => {
		const { totals, unknownAmounts } = await summaryOf([ended(row(0, 'ten'), 'ready')], TARGET);
		expect([totals, unknownAmounts]).toEqual([[], 1]);
	});
});

describe('fingerprint', () => {
	const ROWS = [row(0, '12000'), usd(1, '0.5'), row(2, '345.6')];
	const text = (rows: Row[], target: Partial<Target> = {}, endpoint = BANK): string =>
		fingerprint(endpoint, rows.map(paid), { ...TARGET, ...target }).text;
	const hashOf = (fingerprint: string): string | undefined => fingerprint.split(', ').pop();

	test('makes a fingerprint of readable figures and a hash of the requests', () => {
		const hash = '3599f10624cee8fc16d9d37e73a431e1a24903f974c673a1ce58b1ab9e2d86af';
		const figures = '3 payments, 12,345.60 BOB, 0.50 USD, Production';
		expect(fingerprint(BANK, ROWS.map(paid), TARGET)).toEqual({
			text: `${figures}, ${hash}`,
			figures,
			hash,
			shown: new Set(),
		});
	});

	test('makes a short fingerprint for one payment without an environment', () => {
		expect(fingerprint(BANK, [paid(row(0, '7'))], { account: TARGET.account })).toMatchObject({
			text: '1 payment, 7.00 BOB, a1505c819275db8fa97a6fb0ea83e357c6170b977f337cc69b27a2485106d30c',
		});
	});

	test('counts unknown amounts in the fingerprint', () => {
		expect(text([row(0), row(1), row(2, '7')])).toMatch(
			/^3 payments, 7\.00 BOB, 2 of an unknown amount, Production, [\da-f]{64}$/,
		);
	});

	test('makes a fingerprint without an account if there is no credential', () => {
		expect(fingerprint(BANK, ROWS.map(paid)).text).toBe(
			text(ROWS, { account: '', environment: undefined }),
		);
	});

	test('makes the same fingerprint in any order of the rows', () => {
		const [a, b, c] = ROWS;
		for (const rows of [
			[a, c, b],
			[b, a, c],
			[b, c, a],
			[c, a, b],
			[c, b, a],
		]) {
			expect(text(rows)).toBe(text(ROWS));
		}
	});

	test('leaves the rows in their order when it makes a fingerprint', () => {
		const rows = [row(2, '1'), row(1, '1')];
		text(rows);
		expect(rows.map(({ itemIndex }) => itemIndex)).toEqual([2, 1]);
	});

	test('lists the currencies of a fingerprint alphabetically', () => {
		const rows = [usd(0, '1'), row(1, '1', { currencyType: 'CLP' }), row(2, '1')];
		const listed = /^3 payments, 1\.00 BOB, 1\.00 CLP, 1\.00 USD, Production, /;
		expect(text(rows)).toMatch(listed);
		expect(text([...rows].reverse())).toMatch(listed);
	});

	test.each<[string, () => string]>([
		['another account', () => text(ROWS, { account: 'account-2' })],
		['another endpoint', () => text(ROWS, {}, { ...BANK, path: '/v3/other' })],
		[
			'another content of a row',
			() => text([...ROWS.slice(1), { ...ROWS[0], body: { number: 9 } }]),
		],
		['a row less', () => text(ROWS.slice(1))],
	])('changes the hash of a fingerprint for %s', (_, other) => {
		expect(hashOf(other())).not.toBe(hashOf(text(ROWS)));
	});

	test('makes another fingerprint for another environment', () => {
		expect(text(ROWS, { environment: 'sandbox' })).toBe(
			text(ROWS).replace('Production', 'Sandbox'),
		);
	});
});

describe('copied fingerprints', () => {
	const HASH = '0123456789abcdef'.repeat(4);

	const read = (figures: string, hash = HASH): Fingerprint | undefined =>
		parseFingerprint(`${figures}, ${hash}`);

	test.each([
		'1 payment',
		'40 payments, 1,012,345.60 BOB, 0.5 USD, 7 CLP, 2 of an unknown amount, Sandbox',
	])('reads the figures of a copied fingerprint: %s', (figures) => {
		const text = `${figures}, ${HASH}`;
		expect(parseFingerprint(text)).toStrictEqual({ text, figures, hash: HASH, shown: new Set() });
	});

	test('reads a generated fingerprint back', () => {
		const made = fingerprint(BANK, [row(0, '1234.5'), usd(1, '3'), row(2)].map(paid), TARGET);
		expect(parseFingerprint(made.text)).toEqual(made);
	});

	test('reads a fingerprint back that shows flagged rows, and is the same without them', () => {
		const rows = [row(0, '1'), row(1, '2')];
		const made = fingerprint(BANK, rows.map(paid), TARGET, [
			{ flag: 'duplicate', row: rows[0] },
			{ flag: 'duplicate', row: rows[1] },
			{ flag: 'account', row: rows[1] },
		]);
		expect(made.text).toMatch(/^2 payments, 3\.00 BOB, Production, [\da-f]{64}\.[\da-f]{24}$/);
		expect(parseFingerprint(made.text)).toEqual(made);
		expect(made.figures).toBe(fingerprint(BANK, rows.map(paid), TARGET).figures);
	});

	test('accepts blanks, line breaks and invisible characters in a fingerprint', () => {
		expect(parseFingerprint(` 2 payments,\n 7\u00a0BOB, \u200b${HASH}\r\n`)).toEqual(
			read('2 payments, 7 BOB'),
		);
	});

	test.each<[string, unknown]>([
		['a number', 40],
		['nothing', undefined],
		['an empty text', ''],
		['a hash alone', HASH],
		['a count alone', '40 payments'],
		['something before the count', `about 40 payments, ${HASH}`],
		['something behind the count', `40 payments each, ${HASH}`],
		['a count that is no number', `forty payments, ${HASH}`],
		['a count without digits', ` payments, ${HASH}`],
		['other words for the count', `40 rows, ${HASH}`],
		['a hash that is too short', `40 payments, ${HASH.slice(1)}`],
		['a hash that is too long', `40 payments, ${HASH}0`],
		['a hash with something before it', `40 payments, x${HASH}`],
		['a hash with other letters', `40 payments, ${HASH.slice(1)}g`],
		['a hash in capitals', `40 payments, ${HASH.toUpperCase()}`],
	])('rejects a fingerprint with %s', (_, value) => {
		expect(parseFingerprint(value)).toBeUndefined();
	});
});
