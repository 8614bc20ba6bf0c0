import { mostCharacters } from '../docs/service';
import { useService } from '../engine/service';
import { BANK, bankRow, KINDS, ON_ERROR, outcomes, posted, reported, rowsOf } from './batch';

const service = useService({ duplicateReferences: 'accept' });

describe.each(ON_ERROR)('with On Error %s', (onError) => {
	test.each(KINDS)('sends a single row of a $name', async (kind) => {
		const items = rowsOf(kind, 1, service);
		const result = await service.run(kind.parameters, { items, onError });
		expect(outcomes(result)).toEqual(['created']);
		expect(posted(service)).toEqual([items[0][kind.reference]]);
	});

	test('succeeds without rows', async () => {
		const result = await service.run(BANK, { items: [], onError });
		expect(result.error).toBeUndefined();
		expect(result.run.status).toBe('success');
		expect(service.sandbox.core.traffic.requests()).toEqual([]);
	});
});

/** Scripts, both kinds of accents, signs beyond the basic plane, directions, quotes and markup. */
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

/** Text for people, and text that must be right to the last character, by operation. */
const TEXT_FIELDS: Array<[name: string, kind: number, prose: string[], exact: string[]]> = [
	// A bank code and an account number have their own format.
	['bank payout', 0, ['first_name', 'last_name', 'description'], []],
	['crypto payout', 1, [], ['externalReference']],
	['QR payout', 2, ['image'], ['external_reference']],
	['QR deposit', 3, ['description'], ['referenceId']],
];

const isInvisible = /[\p{Cc}\p{Cf}]/u;

describe.each(TEXTS)('the text %j', (text) => {
	const run = async (index: number, columns: string[]) => {
		const cells = Object.fromEntries(columns.map((column) => [column, text]));
		return await service.run(KINDS[index].parameters, {
			items: [{ ...KINDS[index].row(0, service), ...cells }],
		});
	};
	const expectAsItIs = (columns: string[]): void => {
		const [body] = service.bodies();
		const sent = { ...body, ...(body.transaction as Record<string, unknown> | undefined) };
		for (const column of columns) expect(sent[column]).toBe(text);
	};

	test.each(TEXT_FIELDS)('sends the texts of a %s unchanged', async (_, index, prose) => {
		expect(outcomes(await run(index, prose))).toEqual(['created']);
		expectAsItIs(prose);
	});

	test.each(TEXT_FIELDS)(
		'sends the identifiers of a %s unchanged, or rejects invisible characters',
		async (_, index, __, exact) => {
			for (const column of exact) {
				const result = await run(index, [column]);
				if (isInvisible.test(text)) {
					expect(outcomes(result)).toEqual(['notSent']);
					expect(reported(result)[0].message).toMatch(/ has an invisible character \(U\+\w+\) /);
					expect(service.sandbox.core.traffic.requests()).toEqual([]);
				} else {
					expect(outcomes(result)).toEqual(['created']);
					expectAsItIs([column]);
					service.renew();
				}
			}
		},
	);
});

const MOST = mostCharacters('POST /v3/transactions/payouts/bank', 'transaction.description');

// The service’s way of counting is not known, so a limit has to hold in both usual ones.
test.each([
	['an emoji as two characters', '😀'.repeat(MOST / 2), 'created'],
	['one too many', `${'ñ'.repeat(MOST - 1)}😀`, 'notSent'],
	['emojis as people count them', '😀'.repeat(MOST), 'notSent'],
	['letters', 'ñ'.repeat(MOST), 'created'],
])('limits characters if it counts %s', async (_, description, outcome) => {
	const result = await service.run(BANK, { items: [bankRow(0, { description })] });
	expect(outcomes(result)).toEqual([outcome]);
	if (outcome === 'created') expect(service.bodies()[0].transaction).toMatchObject({ description });
	else expect(reported(result)[0].message).toContain(`characters, but may have at most ${MOST}`);
});
