import { EVM_ADDRESS, TRON_ADDRESS, UNKNOWN_ID } from '../engine/samples';
import { readDocument } from './markdown';

/** Values that keep to the limits of a field, at their edges, the most usual one first; and values just beyond. */
interface Edges {
	accepted: unknown[];
	rejected: unknown[];
}

/** Where a field is required only then: the dotted path of another field, and its value. */
interface Condition {
	field: string;
	value: string;
}

/** A field of a request as the table of its endpoint has it. */
export interface RequestField extends Edges {
	/** Dotted path, as the service spells it. */
	name: string;
	/** `string`, `number`, `array of string` and so on. */
	type: string;
	/** What the text is, such as `UUID`; empty where it is any. */
	form: string;
	required: 'yes' | 'no' | 'not shown' | Condition;
	note: string;
}

/** An endpoint as section 4 describes it. */
export interface Endpoint {
	/** Number of its section. */
	section: string;
	/** Method and path. */
	request: string;
	/** Whether its fields are in the query and not in the body. */
	isQuery: boolean;
	fields: RequestField[];
}

const KNOWN_REQUIRED = ['yes', 'no', 'not shown'];

const NONE: Edges = { accepted: [], rejected: [] };

/** Letters and digits, as they may be in any text: an account number, too. */
const text = (length: number) => 'A1'.repeat(length).slice(0, length);
const digits = (length: number) => '1'.repeat(length);

/** What a limit written as text means, with the numbers or values that it names. */
const LIMITS: Array<[RegExp, (parts: string[], characters: typeof text) => Edges]> = [
	[/^one of (.+)$/, ([values]) => ({ accepted: values.split(', '), rejected: ['NONE'] })],
	[/^not shown, such as (\S+)$/, ([example]) => ({ ...NONE, accepted: [example] })],
	[
		/^(\d+) to (\d+) characters$/,
		([least, most], characters) => ({
			accepted: [characters(+least), characters(+most)],
			rejected: [characters(+most + 1), characters(+least - 1)],
		}),
	],
	[
		/^at most (\d+) characters$/,
		([most], characters) => ({
			accepted: [characters(1), characters(+most)],
			rejected: [characters(+most + 1)],
		}),
	],
	[/^digits only$/, () => ({ ...NONE, rejected: ['1234567A'] })],
	[
		/^at least (\d+)$/,
		([least]) => ({ accepted: [+least + 1, +least], rejected: [+least - 0.01] }),
	],
	[/^at most (\d+)$/, ([most]) => ({ accepted: [+most], rejected: [+most + 1] })],
	[
		/^multiples of (0\.0*1)$/,
		([step]) => ({ accepted: [+step, 7 * +step], rejected: [+step / 10] }),
	],
	[/^more than 0$/, () => ({ ...NONE, rejected: ['0', '-1'] })],
	[
		/^at most (\d+) decimals$/,
		([places]) => ({
			accepted: [`0.${digits(+places)}`],
			rejected: [`0.${digits(+places + 1)}`],
		}),
	],
	[
		/^00:00:00 to 23:59:59$/,
		() => ({ accepted: ['00:00:00', '23:59:59'], rejected: ['24:00:00', '00:60:00', '00:00:60'] }),
	],
	[/^none$/, () => NONE],
];

/** Texts of a form that the type names in brackets. */
const FORMS: Record<string, Edges> = {
	UUID: { accepted: [UNKNOWN_ID], rejected: ['A1'] },
	URL: { accepted: ['http://127.0.0.1:9/callback'], rejected: ['A1'] },
	email: { accepted: ['ventas@example.com'], rejected: ['A1'] },
	// What an address has to look like is not shown.
	address: { accepted: [EVM_ADDRESS], rejected: [] },
	decimal: { accepted: ['1', '1.5'], rejected: ['1e3'] },
};

const document = readDocument('docs/reference/service.md');

const tables = document.tables.map(({ rows: [header, ...rows], under }) => ({
	header,
	rows,
	heading: under.at(-1),
}));

/** The numbers of all sections, such as `4` and `4.12`. */
export const SECTIONS = document.headings.flatMap(
	({ text }) => /^\d+(\.\d+)?/.exec(text)?.[0] ?? [],
);

/** Section, request and operations of the node, as section 4 lists them. */
export const LISTED = tables
	.filter(({ header }) => header[1] === 'request')
	.flatMap(({ rows }) => rows)
	.map(([section, request, , operations]) => ({
		section,
		request,
		operations: operations.split(', '),
	}));

/** The endpoints that have their own heading, with the fields of the table below it. */
export const ENDPOINTS: Endpoint[] = document.headings
	.filter(({ level }) => level === 4)
	.flatMap(({ text: heading, under }) => {
		const table = tables.find(
			({ header, heading: above }) =>
				above === heading && ['request field', 'query parameter'].includes(header[0]),
		);
		return heading.split(', ').map((request) => ({
			section: under.at(-1)?.split(' ')[0] ?? '',
			request,
			isQuery: table?.header[0] === 'query parameter',
			fields: table?.rows.map(requestField) ?? [],
		}));
	});

/** A field of a request, as its table has it. */
function fieldOf(request: string, name: string): RequestField {
	const endpoint = ENDPOINTS.find((one) => one.request === request);
	const field = endpoint?.fields.find((one) => one.name === name);
	if (field === undefined) throw new Error(`docs/reference/service.md: ${request} has no ${name}`);
	return field;
}

/** The most characters that a field may have. */
export function mostCharacters(request: string, name: string): number {
	const { accepted, rejected } = fieldOf(request, name);
	if (rejected.length === 0)
		throw new Error(`docs/reference/service.md: ${name} of ${request} has no limit`);
	return Math.max(...accepted.map((value) => String(value).length));
}

/** The allowed values of a field, or of each entry of a list, in alphabetical order. */
export function allowedValues(request: string, name: string): string[] {
	return [...new Set(fieldOf(request, name).accepted.flat().map(String))].sort();
}

/** The allowed values of the filters of quotes (section 4.8), whose parameter names are not shown. */
export const QUOTE_FILTERS = tables
	.filter(({ header }) => header[0] === 'filter')
	.flatMap(({ rows }) => rows)
	.map(([name, type, , limit]) => ({ name, ...edgesOf(type, '', limit) }));

/**
 * The fields of answers, by the request that they answer (such as `POST /v2/webhooks`), or by the number
 * of the resource that they belong to. In `assets[].id` the brackets mean each entry of a list; what an
 * `object` holds is not described, or described elsewhere.
 */
export const ANSWERS = tables
	.filter(({ header }) => header[0] === 'response field')
	.flatMap(({ rows, heading = '' }) => {
		const isResource = /^\d/.test(heading);
		const objects = rows.filter(([, type]) => type === 'object').map(([name]) => name);
		return (isResource ? heading.split(' ', 1) : heading.split(', ')).map((of) => ({
			of,
			isResource,
			names: rows.map(([name]) => name),
			objects,
		}));
	});

/**
 * The dotted paths of what an answer holds, with `[]` for each entry of a list.
 *
 * @param objects paths below which it does not look
 */
export function namesIn(value: unknown, objects: string[] = [], path = ''): string[] {
	if (objects.includes(path) || typeof value !== 'object' || value === null) return [path];
	return Array.isArray(value)
		? value.flatMap((entry) => namesIn(entry, objects, `${path}[]`))
		: Object.entries(value).flatMap(([name, inner]) =>
				namesIn(inner, objects, path === '' ? name : `${path}.${name}`),
			);
}

function requestField([name, typeCell, requiredCell, limit, note]: string[]): RequestField {
	const [, type, form = ''] = /^([a-z ]+?)(?: \((.+)\))?$/.exec(typeCell) ?? [];
	const [, field, value] = /^when (\S+) is (\S+)$/.exec(requiredCell) ?? [];
	const required = field === undefined ? requiredCell : { field, value };
	if (type === undefined || (field === undefined && !KNOWN_REQUIRED.includes(requiredCell)))
		throw new Error(`docs/reference/service.md: the row of ${name} cannot be read`);
	return {
		name,
		type,
		form,
		required: required as RequestField['required'],
		note,
		...edgesOf(type, form, limit),
	};
}

function edgesOf(type: string, form: string, limit: string): Edges {
	const clauses = limit.split('; ');
	const edges = clauses.map((clause) => {
		const characters = clauses.includes('digits only') ? digits : text;
		for (const [pattern, meaning] of LIMITS) {
			const match = pattern.exec(clause);
			if (match) return meaning(match.slice(1), characters);
		}
		throw new Error(`docs/reference/service.md: unknown limit “${clause}”`);
	});
	const all = [FORMS[form] ?? NONE, ...edges, withoutLimit(type, form, limit)];
	const [accepted, rejected] = [
		all.flatMap((one) => one.accepted),
		all.flatMap((one) => one.rejected),
	];
	// Each entry of a list has to keep to the limit.
	return type.startsWith('array')
		? {
				accepted: [...accepted.map((one) => [one]), accepted],
				rejected: rejected.map((one) => [one]),
			}
		: { accepted, rejected };
}

/** Values that are accepted only where there really is no limit of a kind that the table names none of. */
function withoutLimit(type: string, form: string, limit: string): Edges {
	if (type === 'string' && form === '' && limit === 'none') {
		return { ...NONE, accepted: [text(2), text(1000)] };
	}
	if (type === 'number' && !limit.includes('multiples')) return { ...NONE, accepted: [0.0001] };
	if (type === 'integer' && limit === 'none') return { ...NONE, accepted: [1, 1_000_000] };
	return NONE;
}

/**
 * A request with everything that it may need, and nothing else.
 *
 * @param given values of fields, by their dotted paths
 * @param leftOut the field to go without
 */
export function requestWith(
	fields: RequestField[],
	given: Record<string, unknown> = {},
	leftOut = '',
): Record<string, unknown> {
	const absent = [leftOut, ...Object.keys(given)];
	const values: Record<string, unknown> = {};
	const isNeeded = ({ required, type }: RequestField) =>
		typeof required === 'object'
			? values[required.field] === required.value
			: required !== 'no' && type !== 'object';
	const inOrder = [
		...fields.filter(({ required }) => typeof required !== 'object'),
		// Their conditions may be on any of those.
		...fields.filter(({ required }) => typeof required === 'object'),
	];
	for (const field of inOrder) {
		const { name, form, accepted } = field;
		if (Object.hasOwn(given, name)) {
			values[name] = given[name];
		} else if (!absent.some((one) => one === name || name.startsWith(`${one}.`))) {
			const isOnTron = form === 'address' && given.blockchain === 'TRON';
			if (isNeeded(field)) values[name] = isOnTron ? TRON_ADDRESS : accepted[0];
		}
	}
	return nested(values);
}

function nested(values: Record<string, unknown>): Record<string, unknown> {
	const request: Record<string, unknown> = {};
	for (const [path, value] of Object.entries(values)) {
		const names = path.split('.');
		const last = names.pop() as string;
		let place = request;
		for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>;
		place[last] = value;
	}
	return request;
}
