import type { IExecuteFunctions } from 'n8n-workflow';

import type { ReadField } from './validateFields';
import type { Field } from './field';

/** Reads a parameter (`amount`, or `additionalFields.country`) of one item. */
type ReadParameter = (path: string) => unknown;

/** After this many items whose expressions fail together, every expression is evaluated alone. */
const MAX_FAILURES = 3;

/**
 * The value of a hidden parameter, for which n8n throws without a fallback (`node-execution-context.js` of
 * n8n-core).
 */
const NOTHING = null;

/** A parameter as it is stored, its expressions not evaluated. */
export function rawParameter(
	context: IExecuteFunctions,
	path: string,
	fallback: unknown = '',
): unknown {
	return context.getNodeParameter(path, 0, fallback, { rawExpressions: true });
}

/**
 * Reads parameters of many items. n8n takes about 0.3 ms for each expression, mostly to build a new
 * `WorkflowDataProxy` (`workflow-expression.js` of n8n-workflow). So the expressions of an item are
 * evaluated together, as one list: 10,000 rows with nine expressions take 5.4 s of CPU time, not 32 s. If
 * this fails, each is evaluated alone, which gives n8n's own values and errors.
 *
 * @param paths all parameters that will be read
 * @returns a function that returns the reader of an item
 */
export function parameterReaders(
	context: IExecuteFunctions,
	paths: string[],
): (itemIndex: number) => ReadParameter {
	const raw = new Map<string, unknown>(
		paths.map((path) => [path, rawParameter(context, path, NOTHING)]),
	);
	const together = paths.flatMap((path) => {
		const code = soleExpression(raw.get(path));
		return code === undefined ? [] : [{ path, code }];
	});
	// On separate lines, because an expression may end in a comment.
	const list = `{{ [\n${together.map(({ code }) => `(${code}\n)`).join(',\n')}\n] }}`;
	// If one may change what the others read, each is evaluated alone.
	const codes = JSON.stringify([...raw.values()].filter((value) => !isPlain(value)));
	const mayChange = CHANGES.test(codes.replaceAll('"=', '"'));
	let failures = together.length < 2 || mayChange ? MAX_FAILURES : 0;
	const compared = new Set<string>();

	const alone = (path: string, itemIndex: number): unknown =>
		context.getNodeParameter(path, itemIndex, '');

	const evaluate = (itemIndex: number): Map<string, unknown> | undefined => {
		if (failures >= MAX_FAILURES) return undefined;
		try {
			const values: unknown = context.evaluateExpression(list, itemIndex);
			if (Array.isArray(values) && values.length === together.length) {
				failures = 0;
				return new Map(together.map(({ path }, index) => [path, values[index] as unknown]));
			}
		} catch {
			// Evaluated one by one later, which shows which of them fails.
		}
		failures++;
		return undefined;
	};

	/**
	 * Reads the first item with each combination of value types in both ways. If a value differs, all
	 * expressions are evaluated alone from then on.
	 */
	const compare = (values: Map<string, unknown>, itemIndex: number) => {
		const kinds = [...values.values()].map((value) => (value === null ? 'null' : typeof value));
		if (compared.has(kinds.join())) return;
		compared.add(kinds.join());
		for (const [path, value] of values) {
			if (isForN8n(value)) continue;
			try {
				if ((value ?? '') === (alone(path, itemIndex) ?? '')) continue;
			} catch {
				// Reported when the field is read.
			}
			failures = MAX_FAILURES;
		}
	};

	return (itemIndex) => {
		let evaluated: Map<string, unknown> | undefined;
		let isTried = false;
		return (path) => {
			const value = raw.get(path);
			if (isPlain(value)) return value;
			if (!isTried) {
				isTried = true;
				evaluated = evaluate(itemIndex);
				if (evaluated) compare(evaluated, itemIndex);
				if (failures >= MAX_FAILURES) evaluated = undefined;
			}
			return evaluated?.has(path) && !isForN8n(evaluated.get(path))
				? evaluated.get(path)
				: alone(path, itemIndex);
		};
	};
}

/** Whether a parameter is not an expression. Lists and objects may contain one. */
function isPlain(value: unknown): boolean {
	return typeof value === 'string'
		? !value.startsWith('=')
		: typeof value !== 'object' || value === null;
}

/** Code that may change an item: an assignment, or a method that changes its object. */
const CHANGES =
	/(?<![=!<>])=(?![=>])|\+\+|--|\bdelete\b|\b(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|assign|define\w+|set\w*|add|clear)\s*\(/;

/**
 * The code of a parameter that is one expression and nothing else: `={{ code }}`. Undefined if it uses
 * `$parameter`, which may refer to the parameters next to it.
 */
function soleExpression(value: unknown): string | undefined {
	if (typeof value !== 'string' || !value.startsWith('={{') || !value.endsWith('}}')) {
		return undefined;
	}
	const code = value.slice(3, -2);
	const isSole = !['{{', '}}', '$parameter'].some((part) => code.includes(part));
	return isSole && code.trim() !== '' ? code : undefined;
}

/**
 * Whether a value has to come from n8n, which converts dates to text, also in lists and objects
 * (`cleanup-parameter-data.js` of n8n-core), and rejects functions (`expression.js` of n8n-workflow).
 */
function isForN8n(value: unknown): boolean {
	return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The parameter that holds the optional fields of an operation. */
export const COLLECTION = 'additionalFields';

/**
 * Reads fields of many items from the node's parameters.
 *
 * @param pathOf the path of a field's parameter
 * @returns a function that returns the reader of an item
 */
export function fieldReaders(
	context: IExecuteFunctions,
	fields: Field[],
	pathOf: (field: Field) => string = inCollection(COLLECTION),
): (itemIndex: number) => ReadField {
	const readers = parameterReaders(context, fields.map(pathOf));
	return (itemIndex) => {
		const read = readers(itemIndex);
		return (field) => plainValue(read(pathOf(field)));
	};
}

/** Gives the path of a field's parameter, if optional fields are in this collection. */
export function inCollection(collection: string): (field: Field) => string {
	return ({ name, optional }) => (optional ? `${collection}.${name}` : name);
}

/** The value of a parameter, also if it was chosen from a list. */
export function plainValue(raw: unknown): unknown {
	return typeof raw === 'object' && raw !== null && '__rl' in raw && 'value' in raw
		? raw.value
		: raw;
}
