import * as fc from 'fast-check';

import { mapColumns } from '../../nodes/fields/headers';
import { columnName, type Field } from '../../nodes/fields/field';
import { normalizeWord } from '../../nodes/fields/text';
import { holds } from './holds';
import { BANK, CRYPTO, DEPOSIT, QR } from '../batch/builders';

const ENDPOINTS = [BANK, CRYPTO, QR, DEPOSIT];

/** Endpoints by number, so that a counterexample does not print all of their fields. */
const endpoint = fc.nat(ENDPOINTS.length - 1);

const fieldsOf = (number: number): Field[] => ENDPOINTS[number].fields;

/** The names that the node itself gives a field. */
const ownNames = ({ name, label, to = name }: Field) => [to.split('.').at(-1) ?? '', name, label];

const wordsOf = ({ headerAliases }: Field) => headerAliases?.names ?? [];

/** Names by which a field is found: if two fields share one, the first field has it. */
const namesOf = (fields: Field[], field: Field): string[] => {
	const earlier = fields.slice(0, fields.indexOf(field));
	const taken = new Set(
		[...earlier.flatMap(ownNames), ...earlier.flatMap(wordsOf)].map(normalizeWord),
	);
	const others = fields.filter((one) => one !== field).flatMap(ownNames);
	return [
		...ownNames(field).filter((name) => !taken.has(normalizeWord(name))),
		...wordsOf(field).filter(
			(word) => ![...taken, ...others.map(normalizeWord)].includes(normalizeWord(word)),
		),
	];
};

/** A spelling of a name as people and spreadsheet programs write it. */
const spelling = (name: string): fc.Arbitrary<string> =>
	fc
		.tuple(
			fc.constantFrom('', ' ', '_', '-', '.', '\u200b', '\ufeff', '\u00a0', '  '),
			fc.constantFrom('lower', 'upper', 'title', 'as it is', 'wide'),
			fc.constantFrom('', ' ', '\ufeff'),
		)
		.map(([separator, style, before]) => {
			const words = name
				.replace(/([a-z])([A-Z])/g, '$1 $2')
				.split(/[\s_.-]+/)
				.filter((word) => word !== '');
			const text = words.join(separator);
			const styled = {
				lower: text.toLowerCase(),
				upper: text.toUpperCase(),
				title: words.map((word) => word[0].toUpperCase() + word.slice(1)).join(separator),
				'as it is': text,
				wide: text.replace(/[a-z]/gi, (letter) =>
					String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0),
				),
			}[style];
			return `${before}${styled}`;
		});

const ODD = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', ' ', '0', 'note'];

holds(
	'columns: finds a field under each of its names, in any spelling',
	fc.property(
		endpoint.chain((number) =>
			fc.tuple(
				fc.constant(number),
				fc.tuple(
					...fieldsOf(number).map((field) =>
						fc.constantFrom(...namesOf(fieldsOf(number), field)).chain(spelling),
					),
				),
				fc.shuffledSubarray(ODD),
			),
		),
		([number, headers, odd]) => {
			const fields = fieldsOf(number);
			const { columns } = mapColumns([...odd, ...headers], fields);
			for (const [index, { name }] of fields.entries()) {
				expect([name, columns.get(name)]).toEqual([name, [[headers[index]]]]);
			}
		},
	),
);

const anyHeader = (fields: Field[]): fc.Arbitrary<string> =>
	fc.oneof(
		fc.constantFrom(...fields.map(columnName)).chain(spelling),
		fc
			.tuple(fc.constantFrom(...fields.map(columnName)), fc.nat(30), fc.string({ maxLength: 2 }))
			.map(([name, at, text]) => name.slice(0, at) + text + name.slice(at + 1)),
		fc.constantFrom(...ODD),
		fc.string(),
	);

const rowsOfEndpoint = endpoint.chain((number) =>
	fc.tuple(fc.constant(number), fc.uniqueArray(anyHeader(fieldsOf(number)), { maxLength: 20 })),
);

holds(
	'columns: assigns each header to at most one field',
	fc.property(rowsOfEndpoint, ([number, headers]) => {
		const owned = [...mapColumns(headers, fieldsOf(number)).columns.values()].flat(2);
		expect(new Set(owned).size).toBe(owned.length);
		for (const header of owned) expect(headers).toContain(header);
	}),
);

holds(
	'columns: finds the same columns in any order',
	fc.property(
		rowsOfEndpoint.chain(([number, headers]) =>
			fc.tuple(
				fc.constant(number),
				fc.constant(headers),
				fc.shuffledSubarray(headers, { minLength: headers.length }),
			),
		),
		([number, headers, shuffled]) => {
			const fields = fieldsOf(number);
			const sorted = (list: string[]) =>
				[...mapColumns(list, fields).columns]
					.map(([name, of]) => [name, of.map((part) => [...part].sort())])
					.sort();
			expect(sorted(shuffled)).toEqual(sorted(headers));
		},
	),
);

test('gives each header alias to only one field of an operation', () => {
	for (const { path, fields } of ENDPOINTS) {
		const owners = new Map<string, string>();
		for (const { name, headerAliases = {} } of fields) {
			const { names = [], whole = [], parts = [], namesWith } = headerAliases;
			for (const word of [...names, ...whole, ...parts.flat(), ...(namesWith?.names ?? [])]) {
				const key = normalizeWord(word);
				expect([path, word, owners.get(key) ?? name]).toEqual([path, word, name]);
				owners.set(key, name);
			}
		}
	}
});
