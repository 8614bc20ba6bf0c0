import { judge, reportedAsPaid } from '../../bench/judgement.cjs';

const references = ['a', 'b', 'c'];

/** What HTTP Request returns for payments. */
const output = (...ids: string[]) => ({
	data: { main: [ids.map((id) => ({ json: { transaction: { id } } }))] },
});

/** What the payment node says of rows in its error. */
const rows = (...outcomes: string[]) => ({
	error: {
		context: {
			rows: outcomes.map((outcome, row) => ({ reference: references[row], outcome })),
		},
	},
});

const paid = (...made: string[]) =>
	made.map((reference, index) => ({ id: `transaction-${index}`, reference }));

const IDS = ['transaction-0', 'transaction-1', 'transaction-2'];
const NOTHING = { twice: 0, lost: 0, unreported: 0, open: 0 };

describe('the judgement of the crash test', () => {
	const judged = (transactions: ReturnType<typeof paid>, results: unknown[], succeeded = true) =>
		judge({ references, transactions, results, succeeded });

	test('finds nothing if every row is paid once and reported', () => {
		expect(judged(paid(...references), [output(...IDS)])).toEqual(NOTHING);
	});

	test('counts a second payment of a row, also one that is not reported', () => {
		const all = paid('a', 'b', 'c', 'a');
		expect(judged(all, [output(...IDS)])).toEqual({ ...NOTHING, twice: 1, unreported: 1 });
	});

	test('counts a payment that no execution reports, also if one failed', () => {
		expect(judged(paid(...references), [output('transaction-0')], false)).toEqual({
			...NOTHING,
			unreported: 2,
		});
	});

	test('takes an outcome that says that the payment may exist for a report', () => {
		const results = [rows('unknown', 'alreadySent', 'conflict')];
		expect(judged(paid(...references), results)).toEqual(NOTHING);
	});

	test('does not take a row that was reported as rejected for a report of its payment', () => {
		expect(
			judged(paid('a', 'b', 'c'), [output('transaction-1', 'transaction-2'), rows('rejected')]),
		).toEqual({ ...NOTHING, unreported: 1 });
	});

	test('counts a row without a payment as lost if the last execution succeeded', () => {
		expect(judged(paid('a', 'b'), [output(...IDS)])).toEqual({ ...NOTHING, lost: 1 });
	});

	test('counts a row without a payment as open if an execution tells of it', () => {
		const open = { ...NOTHING, open: 1 };
		expect(judged(paid('a', 'b'), [output(...IDS)], false)).toEqual(open);
		const told = rows('created', 'created', 'notSent');
		expect(judged(paid('a', 'b'), [output(...IDS), told])).toEqual(open);
	});

	test('knows which rows a careful person would not run again', () => {
		const made = paid('a', 'b');
		expect(reportedAsPaid(made, [output('transaction-1')])).toEqual(new Set(['b']));
		expect(reportedAsPaid(made, [])).toEqual(new Set());
	});
});
