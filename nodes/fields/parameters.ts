import type { IExecuteFunctions } from 'n8n-workflow';

import type { ReadField } from './validateFields';
import type { Field } from './field';

/** Gives the value of a parameter (`amount`, or `additionalFields.country`) for one item. */
type ReadParameter = (path: string) => unknown;

/** After so many items whose expressions could not be evaluated together, each is evaluated alone. */
const MAX_FAILURES = 3;

/**
 * The value for a parameter that is missing because it is hidden. Without a fallback n8n throws for it
 * (`node-execution-context.js` of n8n-core).
 */
const NOTHING = null;

/**
 * Reads parameters of many items. n8n takes about 0.3 ms for each expression of each item, nearly all of
 * it to build what the expression can refer to (a new `WorkflowDataProxy`, `workflow-expression.js` of
 * n8n-workflow). So all expressions of an item are evaluated together, as one list: for 10,000 rows
 * with nine expressions each, 5.4 s of CPU time instead of 32 s. Where that fails, each is evaluated
 * alone, so the values and the errors are n8n's.
 *
 * @param paths the parameters that will be asked for
 * @returns a reader for an item
 */
export function parameterReaders(
	context: IExecuteFunctions,
	paths: string[],
): (itemIndex: number) => ReadParameter {
	const raw = new Map<string, unknown>(
		paths.map((path) => [
			path,
			context.getNodeParameter(path, 0, NOTHING, { rawExpressions: true }),
		]),
	);
	const together = paths.flatMap((path) => {
		const code = soleExpression(raw.get(path));
		return code === undefined ? [] : [{ path, code }];
	});
	// Each on a line of its own, because an expression may end in a comment.
	const list = `{{ [\n${together.map(({ code }) => `(${code}\n)`).join(',\n')}\n] }}`;
	// Where one may change what the others read, each is evaluated alone.
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
			// They are evaluated one by one later, which shows which of them fails.
		}
		failures++;
		return undefined;
	};

	/**
	 * Reads the first item of each combination of value types in both ways. If an expression gives another
	 * value in the list than alone, all are evaluated alone from then on.
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
				// It throws again when its field is read, which reports it.
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

/** Whether a parameter holds no expression. Lists and objects may hold one inside. */
function isPlain(value: unknown): boolean {
	return typeof value === 'string'
		? !value.startsWith('=')
		: typeof value !== 'object' || value === null;
}

/** Code that may change an item while it is read: an assignment, or a method that changes its object. */
const CHANGES =
	/(?<![=!<>])=(?![=>])|\+\+|--|\bdelete\b|\b(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|assign|define\w+|set\w*|add|clear)\s*\(/;

/**
 * The code of a parameter that is one expression and nothing else: `={{ code }}`. One that reads other
 * parameters is evaluated alone: `$parameter` may refer to those beside it.
 */
function soleExpression(value: unknown): string | undefined {
	const code = typeof value === 'string' ? /^=\{\{([^]*)\}\}$/.exec(value)?.[1] : undefined;
	return code === undefined || code.trim() === '' || /\{\{|\}\}|\$parameter/.test(code)
		? undefined
		: code;
}

/**
 * Whether a value has to be evaluated alone, through n8n: it turns dates into text, also inside lists and
 * objects (`cleanup-parameter-data.js` of n8n-core), and refuses functions (`expression.js` of
 * n8n-workflow).
 */
function isForN8n(value: unknown): boolean {
	return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The parameter that holds the optional fields of an operation. */
export const COLLECTION = 'additionalFields';

/**
 * Reads the fields of an item from the node's own parameters.
 *
 * @param pathOf where the value of a field is; optional fields are in a collection
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

/** The path of a field's parameter, where optional fields are in this collection. */
export function inCollection(collection: string): (field: Field) => string {
	return ({ name, optional }) => (optional ? `${collection}.${name}` : name);
}

/** The value of a parameter, also of one that was picked from a list. */
export function plainValue(raw: unknown): unknown {
	return typeof raw === 'object' && raw !== null && '__rl' in raw && 'value' in raw
		? raw.value
		: raw;
}
