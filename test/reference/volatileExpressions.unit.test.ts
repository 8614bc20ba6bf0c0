import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	hasExpression,
	expressionFailed,
	readBatchParameter,
} from '../../nodes/reference/expressions';
import { volatility, validateParts } from '../../nodes/reference/volatileExpressions';
import { contextOf } from '../batch/evaluated';

const VOLATILE = {
	code: 'volatile',
	message:
		'is based on the time, the execution or randomness, so it changes whenever the rows run again',
	hint: 'Use an input column, a date or month, or a Batch ID such as payroll-2026-11 that stays the same when the same rows run again.',
};

const volatilityOf = (raw: unknown, row: IDataObject = {}) =>
	volatility(contextOf({}, [row]), raw, 0);

describe('volatile expressions', () => {
	test.each([
		'={{ $execution.id }}',
		'={{ $executionId }}',
		'={{ $resumeWebhookUrl }}',
		// With another row on top, the runs of a loop have other rows.
		'={{ $runIndex }}',
		"={{ $('Loop Over Items').context.currentRunIndex }}",
		'=a-{{ $json.a }}-{{ "x" + $execution.id }}',
		'={{ $execution.id + Math.random() }}',
		'={{ Math.random() }}',
		'={{ Math . random() }}',
		'={{ crypto.randomUUID() }}',
		'={{ crypto.randomBytes(8) }}',
		'={{ crypto.randomInt(8) }}',
		'={{ crypto.getRandomValues([]) }}',
		'={{ [1, 2].randomItem() }}',
		'={{ [1, 2].randomItem () }}',
		'={{\n\tMath.random()\n}}',
		'={{ $now.hour }}',
		'={{ $now }}',
		'=a-{{ $json.a }}-{{ $now.toMillis() }}',
		'={{ $today.hour + $now.hour }}',
		'={{ DateTime.now().hour }}',
		'={{ DateTime . local ( ).hour }}',
		'={{ DateTime.utc({ }).hour }}',
		'={{ DateTime.local({ zone: "utc" }).toMillis() }}',
		'={{ new Date().getTime() }}',
		'={{ new  Date ( ).getTime() }}',
		'={{ (new Date).getTime() }}',
		'={{ Date.now() }}',
		'={{ Date . now ( ) }}',
		'={{ Date() }}',
		'={{ Date ( ) }}',
		// A value that is not text changes too.
		'={{ { hour: $now.hour } }}',
		'={{ [$now.hour] }}',
	])('finds that %j is volatile', (raw) => {
		expect(volatilityOf(raw)).toEqual(VOLATILE);
	});

	test('treats a time that cannot be evaluated as volatile', () => {
		const raw = '={{ $now.format(( }}';
		expect(volatilityOf(raw)).toEqual(VOLATILE);
	});

	test('checks each part of an expression separately', () => {
		expect(volatilityOf('={{ $execution}}{{id }}')).toEqual(VOLATILE);
	});

	test.each([
		['text that is no expression', '{{ Math.random() }}'],
		['text outside of the braces', '=Math.random() $now {{ 1 }}'],
		['an expression without code', '=$execution.id'],
		['a number', 7],
		['nothing', undefined],
		['null', null],
		['an object', { id: '={{ Math.random() }}' }],
		['a list', ['={{ Math.random() }}', '={{ $now }}']],
		[
			'a name that only begins like the execution',
			'={{ "$executionIdea $executions $runIndexes" }}',
		],
		['a name that only contains a random function', '={{ "Math.randomness mybrandomInt" }}'],
		['a name that only begins like a time', '={{ "$nowhere $todays UpDate()" }}'],
		['a column', '={{ $json.batch }}'],
		['a date of the input', '={{ $json.day }}'],
		['a given date', '={{ DateTime.fromISO("2026-11-30").toFormat("yyyy-MM") }}'],
		['a given local date', '={{ DateTime.local(2026, 11, 30).toMillis() }}'],
		['a given date of JavaScript', '={{ new Date("2026-11-30").getTime() }}'],
		['a given date after a blank', '={{ new Date ("2026-11-30").getTime() }}'],
		['a parsed date', '={{ Date.parse("2026-11-30") }}'],
		['an expression without a time that cannot be evaluated', '={{ nothing(( }}'],
	])('does not treat %s as volatile', (_, raw) => {
		expect(volatilityOf(raw, { batch: 'b-1', day: '2026-11-30' })).toBeUndefined();
	});
});

describe('dates', () => {
	test.each([
		'={{ $now.toISODate() }}',
		'=payroll-{{ $now.toFormat("yyyy-MM-dd") }}',
		'={{ $today.toISO() }}',
		'={{ $today }}',
		'={{ $today.hour }}-{{ $today.toISODate() }}',
		'={{ DateTime.now().toISODate() }}',
		'={{ $now.startOf("day").toMillis() }}',
		'={{ { day: $now.toISODate() } }}',
		'={{ $now.toFormat("yyyy-MM") }}',
		'={{ $now.month }}',
		'={{ $now.quarter }}',
		'={{ $now.weekNumber }}',
		'={{ $now.year }}',
		// Text outside the braces is no code.
		'=$now {{ $now.toISODate() }}',
	])('finds that %j stays the same all day', (raw) => {
		expect(volatilityOf(raw)).toBeUndefined();
	});

	test.each([
		'={{ $now.isValid }}',
		'={{ $now.isValid ? 1 : $now }}',
		'={{ $today.isValid ? 1 : $now }}',
		'={{ $today.hour }}',
		'={{ DateTime.now().isValid ? 1 : DateTime.now() }}',
		'={{ DateTime.utc().isValid ? 1 : DateTime.utc() }}',
		'={{ DateTime.local({ zone: "utc" }).isValid ? 1 : $now }}',
		'={{ new Date().getTime ? 1 : new Date() }}',
		'={{ (new Date).getTime ? 1 : new Date }}',
		'={{ typeof Date.now() === "number" ? 1 : Date.now() }}',
		'={{ $now.nothing }}',
	])('finds that %j never changes, because the time does not show', (raw) => {
		expect(volatilityOf(raw)).toBeUndefined();
	});

	test('evaluates the expression for the given item', () => {
		const context = contextOf({}, [{ unit: 'day' }, { unit: 'hour' }]);
		const raw = '={{ $now.startOf($json.unit).toMillis() }}';
		expect(volatility(context, raw, 0)).toBeUndefined();
		expect(volatility(context, raw, 1)).toEqual(VOLATILE);
	});
});

describe('parameters', () => {
	test.each<[unknown, boolean]>([
		['={{ $json.a }}', true],
		['=', true],
		['a=', false],
		['', false],
		[7, false],
		[true, false],
		[null, false],
		[undefined, false],
		[{}, false],
		[[], false],
		[{ a: 'x', b: null, c: 1 }, false],
		[{ a: 'x', b: '={{ 1 }}' }, true],
		[{ a: '={{ 1 }}', b: 'x' }, true],
		[['x', { a: [{ b: '=' }] }], true],
	])('recognizes whether %j contains an expression: %p', (raw, holds) => {
		expect(hasExpression(raw)).toBe(holds);
	});
});

describe('composed text', () => {
	const row = {
		text: 'a',
		zero: 0,
		no: false,
		blank: ' ',
		empty: '',
		nothing: null,
		batch: { id: 7 },
		list: [1, 2],
	};
	const errorOf = (raw: unknown) => validateParts(contextOf({}, [row]), raw, 0);

	test.each([
		'=a-{{ $json.text }}-{{ $json.zero }}',
		'=a-{{ $json.no }}',
		'=a-{{ $json.blank }}',
		'=a-{{ $now }}',
		'=a',
		'a-{{ $json.empty }}',
		'={{ $json.empty }}',
		'={{ $json.batch }}',
		7,
	])('accepts all parts of %j', (raw) => {
		expect(errorOf(raw)).toBeUndefined();
	});

	test.each([
		['=a-{{ $json.empty }}', '{{ $json.empty }}'],
		['=a-{{$json.nothing}}', '{{$json.nothing}}'],
		['=a-{{ $json.missing }}', '{{ $json.missing }}'],
		['={{ $json.text }}-{{ $json.missing }}', '{{ $json.missing }}'],
		['={{ $json.missing }}-{{ $json.batch }}', '{{ $json.missing }}'],
		['={{ $json.missing }} ', '{{ $json.missing }}'],
		['= {{ $json.missing }}', '{{ $json.missing }}'],
		['={{ $json.missing\n}}-{{\n$json.text }}', '{{ $json.missing\n}}'],
	])('finds an empty part in %j', (raw, part) => {
		expect(errorOf(raw)).toEqual({
			code: 'partEmpty',
			message: `is incomplete: ${part} is empty`,
			hint: 'Use a column that has a value in every item.',
		});
	});

	test.each([
		['=a-{{ $json.batch }}', '{{ $json.batch }}', 'an object'],
		['=a-{{ $json.list }}', '{{ $json.list }}', 'a list'],
	])('finds a part that is not text in %j', (raw, part, kind) => {
		expect(errorOf(raw)).toEqual({
			code: 'partNotText',
			message: `must be text, but ${part} gives ${kind}`,
			hint: 'Choose one value in it, such as {{ $json.reference }}.',
		});
	});

	test('checks the parts for the given item', () => {
		const context = contextOf({}, [{ a: 1 }, {}]);
		expect(validateParts(context, '=x-{{ $json.a }}', 0)).toBeUndefined();
		expect(validateParts(context, '=x-{{ $json.a }}', 1)?.code).toBe('partEmpty');
	});
});

describe('values for the whole batch', () => {
	const PATH = 'batchId';
	const ROWS = [
		{ a: 'b-0', o: { x: 1 } },
		{ a: 'b-0', o: { x: 1, y: 2 } },
		{ a: 'b-1', o: { x: 2 } },
	];

	const read = (raw: unknown, items: IDataObject[]) =>
		readBatchParameter<unknown>(
			contextOf({ [PATH]: raw as string }, items),
			PATH,
			'Batch ID',
			'none',
		);

	const differs = (message: string) => ({
		ok: false,
		error: {
			code: 'differsFromRowToRow',
			message,
			hint: 'Use one value for all items of a batch, or pay the items in separate batches.',
		},
	});

	test.each<[string, unknown, unknown]>([
		['a text', 'b-7', 'b-7'],
		['the fallback of one that is missing', undefined, 'none'],
		['a collection', { a: 1 }, { a: 1 }],
		['an expression', '={{ "b-" + 7 }}', 'b-7'],
		['an expression that gives null', '={{ null }}', null],
		['an expression that gives nothing', '={{ undefined }}', undefined],
		['an expression that gives a list', '={{ [1, 2] }}', [1, 2]],
		['a collection of expressions', { a: '={{ 1 + 1 }}', b: 'x' }, { a: 2, b: 'x' }],
	])('accepts %s, the same for all items', (_, raw, value) => {
		expect(read(raw, ROWS)).toEqual({ ok: true, value });
	});

	test('reads a column that is the same for all items', () => {
		expect(read('={{ $json.a }}', ROWS.slice(0, 2))).toEqual({ ok: true, value: 'b-0' });
		expect(read('={{ $json.o }}', ROWS.slice(0, 1))).toEqual({ ok: true, value: { x: 1 } });
	});

	test('rejects a value at the first row that differs', () => {
		expect(read('={{ $json.a }}', ROWS)).toEqual(
			differs('Batch ID is "b-0" for row 1 (item 0), but "b-1" for row 3 (item 2)'),
		);
	});

	test.each<[string, IDataObject[], string, string]>([
		['lists', [{ a: [1] }, { a: [2] }], '[1]', '[2]'],
		['a value and null', [{ a: 1 }, { a: null }], '1', 'null'],
		['a value and none', [{ a: 'x' }, {}], '"x"', 'empty'],
		['no value and one', [{}, { a: 'x' }], 'empty', '"x"'],
		['a number and its text', [{ a: 1 }, { a: '1' }], '1', '"1"'],
	])('shows differing values as they are: %s', (_, items, first, second) => {
		expect(read('={{ $json.a }}', items)).toEqual(
			differs(`Batch ID is ${first} for row 1 (item 0), but ${second} for row 2 (item 1)`),
		);
	});

	test('names a value that differs', () => {
		const message = 'is {"a":"b-0"} for row 1 (item 0), but {"a":"b-1"} for row 3 (item 2)';
		expect(read({ a: '={{ $json.a }}' }, ROWS)).toEqual(differs(`Batch ID ${message}`));
	});

	test('reads a fixed value for the first row only', () => {
		const itemsRead: number[] = [];
		const context = {
			getInputData: () => [{}, {}, {}],
			getNodeParameter: (_: string, itemIndex: number) => {
				itemsRead.push(itemIndex);
				return 'b-7';
			},
		} as unknown as IExecuteFunctions;
		expect(readBatchParameter(context, PATH, 'Batch ID', '')).toEqual({ ok: true, value: 'b-7' });
		expect(new Set(itemsRead)).toEqual(new Set([0]));
	});

	test('rejects a value that cannot be evaluated', () => {
		expect(read('={{ nothing(( }}', ROWS)).toEqual({
			ok: false,
			error: {
				code: 'expressionFails',
				message: expect.stringMatching(/^Batch ID cannot be evaluated \(.+\)$/) as string,
				hint: 'Correct the expression.',
			},
		});
	});

	test('says why a value cannot be evaluated', () => {
		expect(expressionFailed('Key Columns', new Error('no such node'))).toEqual({
			code: 'expressionFails',
			message: 'Key Columns cannot be evaluated (no such node)',
			hint: 'Correct the expression.',
		});
	});
});
