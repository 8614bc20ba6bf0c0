import { useService } from '../engine/service';
import {
	BANK,
	bank,
	bankRow,
	bankRows,
	created,
	KINDS,
	ON_ERROR,
	outcomes,
	posted,
	references,
	rowsOf,
} from './batch';

const service = useService({ duplicateReferences: 'accept' });

test('10,000 rows are created once each, and come out in their order', async () => {
	const count = 10_000;
	const result = await service.run(bank({ concurrency: 50, expectedCount: count }), {
		items: bankRows(count),
	});

	expect(result.error).toBeUndefined();
	expect(result.json.map(({ reference }) => reference)).toEqual(references(count));
	expect(result.json.every(({ outcome }) => outcome === 'created')).toBe(true);
	expect(created(service).sort()).toEqual(references(count));
	expect(service.sandbox.core.traffic.counters().logins).toBe(1);
	expect(service.sandbox.core.traffic.counters().maxInFlight).toBeLessThanOrEqual(50);
}, 180_000);

test('10,000 rows of which the last is bad send nothing', async () => {
	const items = [...bankRows(9_999), bankRow(9_999, { amount: '-1' })];
	const result = await service.run(BANK, { items });
	expect(service.sandbox.core.traffic.requests()).toEqual([]);
	expect(result.error?.description).toContain('[Item 9999] Amount ("-1")');
});

test('10,000 bad rows make a message that can still be read', async () => {
	const items = Array.from({ length: 10_000 }, (_, number) => bankRow(number, { amount: '-1' }));
	const result = await service.run(BANK, { items });
	expect(result.error?.message).toContain('10000 of 10000 items');
	expect(String(result.error?.description).length).toBeLessThan(200_000);
	expect(result.error?.description).toContain('9000 more items');
});

describe.each(ON_ERROR)('with On Error %s', (onError) => {
	test.each(KINDS)('one row of a $name is sent', async (kind) => {
		const items = rowsOf(kind, 1, service);
		const result = await service.run(kind.parameters, { items, onError });
		expect(outcomes(result)).toEqual(['created']);
		expect(posted(service)).toEqual([items[0][kind.reference]]);
	});

	test('no row is no fault', async () => {
		const result = await service.run(BANK, { items: [], onError });
		expect(result.error).toBeUndefined();
		expect(result.run.status).toBe('success');
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
	});
});

/** Scripts, accents of both kinds, signs beyond the basic plane, directions, quotes and markup. */
const TEXTS = [
	'Ñandú Ávila – Çelik',
	'Ana Jose\u0301',
	'王小明 山田太郎 김철수',
	'محمد عبد الله',
	'Ελένη Дмитрий',
	'👩‍👩‍👧‍👦 🇧🇴 😀',
	`"O'Neill" \\ <b>&amp; {{ $json }}`,
	'a\u200bb\u00a0c\td\ne',
];

describe.each(TEXTS)('the text %j arrives as it is', (text) => {
	test.each<[name: string, kind: number, columns: string[]]>([
		[
			'bank payout',
			0,
			['first_name', 'last_name', 'description', 'bank_code', 'destination_account'],
		],
		['crypto payout', 1, ['externalReference']],
		['QR payout', 2, ['image', 'external_reference']],
		['QR deposit', 3, ['referenceId', 'description']],
	])('in every text field of a %s', async (_, index, columns) => {
		const kind = KINDS[index];
		const cells = Object.fromEntries(columns.map((column) => [column, text]));
		const result = await service.run(kind.parameters, {
			items: [{ ...kind.row(0, service), ...cells }],
		});
		expect(outcomes(result)).toEqual(['created']);
		const [body] = service.bodies();
		const sent = { ...body, ...(body.transaction as Record<string, unknown> | undefined) };
		for (const column of columns) expect(sent[column]).toBe(text);
	});
});

test('a limit counts characters as people do', async () => {
	const result = await service.run(BANK, {
		items: [bankRow(0, { description: '😀'.repeat(200) })],
	});
	expect(outcomes(result)).toEqual(['created']);
});
