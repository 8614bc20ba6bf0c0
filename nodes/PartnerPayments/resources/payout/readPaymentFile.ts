import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { yieldRegularly } from '../../../batch/yieldRegularly';
import { choiceField, type Field } from '../../../fields/field';
import { collection, entries, textProperty, toProperties } from '../../../fields/form';
import type { NAME_ORDERS } from '../../../fields/personNames';
import { plainValue } from '../../../fields/parameters';
import { normalizeWord } from '../../../fields/text';
import { isEmpty } from '../../../fields/validators';
import { LANGUAGE, toLanguage } from '../../../report/language';
import { fail, inLanguage, ok, type Result, userMessage } from '../../../messages/userMessage';
import { toOperationError } from '../../../service/errors';
import { isObject } from '../../../service/json';
import { toPastPayment, type PastPayment } from '../../../sheet/comparison';
import { answersOf, formFields, pageQuestions, summaryOf } from '../../../sheet/form';
import type { PaymentTable } from '../../../sheet/mapping';
import { fileOfItems } from '../../../sheet/reader/items';
import { ANSWER, type Answers, type Settings } from '../../../sheet/question';
import { readPayments, type PaymentReading, type Remembered } from '../../../sheet/readPayments';
import { readFile } from '../../../sheet/reader/readFile';
import type { PaymentFile } from '../../../sheet/sheet';
import type { SplitOperation } from '../../operations/operation';
import { BANK_PAYOUT } from './createBank';
import { CRYPTO_PAYOUT } from './createCrypto';
import { QR_PAYOUT } from './createQr';

/** A file of payments has no references: they are generated when the payments are made. */
const withoutReference = (fields: readonly Field[]): Field[] =>
	fields.filter(({ name }) => name !== 'externalReference');

/** What each kind of payments has in its file, by the operation that makes them. */
const TABLES: Readonly<Record<string, PaymentTable>> = {
	createBank: {
		fields: withoutReference(BANK_PAYOUT.fields),
		payeeFields: ['destinationIdNumber', 'destinationAccount'],
		wholeName: BANK_PAYOUT.wholeName,
	},
	createCrypto: {
		fields: withoutReference(CRYPTO_PAYOUT.fields),
		payeeFields: ['destinationWallet'],
	},
	createQr: {
		fields: withoutReference(QR_PAYOUT.fields)
			.filter(({ name }) => name !== 'qrSource' && name !== 'binaryPropertyName')
			.map((field) => ({ ...field, onlyWhen: undefined })),
		payeeFields: ['image'],
	},
};

const IGNORE = 'ignore';
const FROM_FILE = { readFrom: ['file'] };

/** The parameters that depend on the kind of payments. */
function propertiesOf(payments: string): INodeProperties[] {
	const { fields } = TABLES[payments];
	const show = { payments: [payments] };
	const options = fields.map(({ name, label }) => ({ name: label, value: name }));
	const field = (choices: typeof options, description: string) =>
		toProperties([
			choiceField({
				name: 'field',
				label: 'Field',
				options: [...choices].sort((a, b) => a.name.localeCompare(b.name)),
				default: 'amount',
				description,
			}),
		]);
	const [defaults] = toProperties(
		fields.map((one) => ({ ...one, optional: true })),
		{ collection: 'defaultValues', collectionLabel: 'Default Values', show },
	);
	return [
		{ ...defaults, description: 'Values for rows whose column is missing or whose cell is empty' },
		{
			displayName: 'Column Mapping',
			name: 'columnMapping',
			type: 'fixedCollection',
			...entries('Column', 'column', [
				...field(
					[...options, { name: 'Ignore This Column', value: IGNORE }],
					'What the column holds',
				),
				textProperty('Column Name', 'header', {
					placeholder: 'e.g. Net salary',
					description:
						'The column name in the file. If empty, the file has no column for the field.',
				}),
			]),
			default: {},
			description: 'Columns that are known before anybody is asked',
			displayOptions: { show },
		},
		{
			displayName: 'Value Names',
			name: 'valueNames',
			type: 'fixedCollection',
			...entries('Value', 'value', [
				...field(
					fields
						.filter(({ isAmount }) => !isAmount)
						.map(({ name, label }) => ({ name: label, value: name })),
					'The field of the value',
				).map((property) => ({ ...property, default: fields[0].name })),
				textProperty('In the File', 'name', {
					placeholder: 'e.g. Banco Unión',
					description: 'What the file says',
				}),
				textProperty('Means', 'value', {
					placeholder: 'e.g. 1014',
					description: 'What the service takes',
				}),
			]),
			default: {},
			description: 'What texts of the file mean, such as the codes of banks by their names',
			displayOptions: { show },
		},
	];
}

const json = (displayName: string, name: string, description: string): INodeProperties => ({
	displayName,
	name,
	type: 'json',
	default: '{}',
	description,
});

const OPTIONS = collection('Options', [
	{
		displayName: 'Full Name',
		name: 'fullName',
		type: 'options',
		options: [
			{ name: 'Ask', value: '' },
			{ name: 'Names First, One Surname', value: 'namesFirst1' },
			{ name: 'Names First, Two Surnames', value: 'namesFirst2' },
			{ name: 'Surnames First, One', value: 'surnamesFirst1' },
			{ name: 'Surnames First, Two', value: 'surnamesFirst2' },
		] satisfies Array<{ name: string; value: keyof typeof NAME_ORDERS | '' }>,
		default: '',
		description: 'How whole names are written. The order that a column name states wins.',
	},
	{ ...LANGUAGE, name: 'language', description: 'The language of questions and summary' },
]);

/**
 * Reads a payment file. It is a function of the file, the settings and the answers, so it can run as often as somebody
 * answers. It needs no service.
 */
export const readPaymentFile: SplitOperation = {
	value: 'readPaymentFile',
	name: 'Read Payment File',
	action: 'Read payment file',
	description:
		'Get the payments in an XLSX, ODS or CSV file, or the questions that whoever has the file answers on a page',
	properties: [
		{
			displayName: 'Read From',
			name: 'readFrom',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'File', value: 'file', description: 'A file of the input item' },
				{
					name: 'Input Items',
					value: 'items',
					description: 'A table as people keep it, such as a Google Sheet',
				},
			],
			default: 'file',
			description: 'Where the rows are',
		},
		textProperty('Input Binary Field', 'binaryPropertyName', {
			default: 'data',
			required: true,
			hint: 'The name of the input field with the file',
			description: 'The name of the field, or an expression that gives the file of another node',
			displayOptions: { show: FROM_FILE },
		}),
		{
			displayName: 'Payments',
			name: 'payments',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'Bank', value: 'createBank' },
				{ name: 'Crypto', value: 'createCrypto' },
				{ name: 'QR', value: 'createQr' },
			],
			default: 'createBank',
			description: 'What the rows pay',
		},
		...Object.keys(TABLES).flatMap(propertiesOf),
		json(
			'Answers',
			'answers',
			'What a page gave back, and in answered the answers of the run before',
		),
		json(
			'Remembered Files',
			'rememberedFiles',
			'What remember had in the summaries of earlier files, one or a list. Their answers are not asked for again, and their payments are compared.',
		),
		OPTIONS,
	],
	outputs: ['Payments', 'Questions', 'Summary'],
	// What every payment has; its other fields are those of its kind.
	output: { row: 'integer', key: 'string', amount: 'number' },
	async executeOutputs() {
		const payments = String(this.getNodeParameter('payments', 0));
		const of = TABLES[payments];
		const language = toLanguage(this.getNodeParameter('options.language', 0, 'en'));
		const yieldNow = yieldRegularly();
		const file = await inputFile(this, yieldNow);
		const json = readJson(this, 'Answers', 'answers');
		const given = isObject(json) ? json : {};
		const remembered = readRemembered(this);
		const settings = readSettings(this, of);
		const earlier = toAnswers(given.answered);
		const readWith = async (answers: Answers): Promise<PaymentReading> =>
			file.ok
				? await readPayments(file.value, of, settings, remembered, answers, yieldNow)
				: { payments: [], questions: [], notes: [], error: file.error };
		const before = await readWith(earlier);
		const added = answersOf(pageQuestions(before.questions, language), given);
		const answers: Answers = new Map([...earlier, ...added]);
		const reading = added.size > 0 ? await readWith(answers) : before;
		const questions = pageQuestions(reading.questions, language);
		const isEmpty = questions.length === 0 && reading.payments.length === 0;
		const error = reading.error ?? (isEmpty ? userMessage('noPaymentsLeft') : undefined);
		const answered = Object.fromEntries(answers);
		const summary = {
			...summaryOf(reading, of, language),
			...(reading.payments.length > 0 && { remember: toRemember(reading) }),
			answered,
		};
		const pairedItem = { item: 0 };
		const isAsked = error !== undefined || questions.length > 0;
		const item = {
			...(error && { error: { code: error.code, ...inLanguage(error, language) } }),
			questions,
			formFields: formFields(questions, summary.html),
			answered,
			summary,
		} as unknown as IDataObject;
		return [
			reading.payments.map(({ row, key, values }) => ({
				json: { ...values, key, row } as IDataObject,
				pairedItem,
			})),
			isAsked ? [{ json: item, pairedItem }] : [],
			isAsked ? [] : [{ json: summary as unknown as IDataObject, pairedItem }],
		];
	},
};

/** The file of the first item, or its items as a file; or why it cannot be read. */
async function inputFile(
	context: IExecuteFunctions,
	yieldNow: () => Promise<void>,
): Promise<Result<PaymentFile>> {
	const items = context.getInputData();
	if (context.getNodeParameter('readFrom', 0) === 'items')
		return ok(fileOfItems(items.map(({ json: item }) => item)));
	if (items.length > 1) {
		const error = userMessage('severalFiles', { count: items.length });
		throw toOperationError(context, error);
	}
	const binary = context.getNodeParameter('binaryPropertyName', 0) as string;
	context.helpers.assertBinaryData(0, binary);
	const bytes = await context.helpers.getBinaryDataBuffer(0, binary);
	return bytes.length === 0 ? fail(userMessage('noTable')) : await readFile(bytes, yieldNow);
}

/** The value of a parameter with JSON, whether it is a text or was an expression. */
function readJson(context: IExecuteFunctions, parameter: string, name: string): unknown {
	const value = parsed(context.getNodeParameter(name, 0, {}));
	if (value === '' || value === null || value === undefined) return {};
	if (isObject(value) || Array.isArray(value)) return value;
	throw toOperationError(context, userMessage('answersNotObject', { parameter }));
}

/** What is kept of earlier files. A database keeps lists and objects as texts. */
function readRemembered(context: IExecuteFunctions): Remembered[] {
	const entries = [readJson(context, 'Remembered Files', 'rememberedFiles')].flat();
	return entries.flatMap((entry) => {
		if (!isObject(entry) || typeof entry.headers !== 'string') return [];
		const payments = parsed(entry.payments);
		return {
			headers: entry.headers,
			answers: toAnswers(parsed(entry.answers)),
			name: String(entry.name ?? ''),
			payments: Array.isArray(payments) ? payments.filter(isObject).map(pastPayment) : [],
		};
	});
}

/** A payment as texts: a database or a person may have kept numbers, or left something out. */
function pastPayment(kept: IDataObject): PastPayment {
	const text = (name: keyof PastPayment) => String(kept[name] ?? '');
	return {
		key: text('key'),
		name: text('name'),
		account: text('account'),
		amount: text('amount'),
		currency: text('currency'),
	};
}

/** What a text means as JSON. A text that is none stays as it is. */
function parsed(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		return value;
	}
}

const toAnswers = (answers: unknown): Answers =>
	new Map(
		Object.entries(isObject(answers) ? answers : {}).flatMap(([id, value]) =>
			typeof value === 'string' || typeof value === 'number' ? [[id, String(value)] as const] : [],
		),
	);

interface MappingEntry {
	field?: string;
	header?: string;
}

interface ValueEntry {
	field?: string;
	name?: string;
	value?: string;
}

/** What the form says before anybody is asked. */
function readSettings(context: IExecuteFunctions, { fields }: PaymentTable): Settings {
	const get = (name: string): unknown => context.getNodeParameter(name, 0, {});
	const defaults = get('defaultValues') as IDataObject;
	const { column = [] } = get('columnMapping') as { column?: MappingEntry[] };
	const { value = [] } = get('valueNames') as { value?: ValueEntry[] };
	const options = get('options') as IDataObject;
	const answers = new Map<string, string>();
	const order = String(options.fullName ?? '');
	if (order !== '') answers.set('nameOrder', order);
	const ignored = new Set<string>();
	for (const { field = '', header = '' } of column) {
		if (field === IGNORE) ignored.add(normalizeWord(header));
		else answers.set(`columns.${field}`, header === '' ? ANSWER.none : header);
	}
	const valueNames = new Map<string, Map<string, string>>();
	for (const { field = '', name = '', value: meaning = '' } of value)
		valueNames.set(field, (valueNames.get(field) ?? new Map<string, string>()).set(name, meaning));
	return {
		defaults: new Map(
			fields
				.map(({ name }) => [name, plainValue(defaults[name])] as const)
				.filter(([, value]) => !isEmpty(value)),
		),
		valueNames,
		ignored,
		answers,
	};
}

/** Whether an answer counts for the next file, too: not if it is about a sheet or row, or about rows to leave out. */
const isForNextFile = ([id, answer]: readonly [string, string]): boolean =>
	id.startsWith('remarks') ||
	(id !== 'sheet' &&
		!id.startsWith('rows') &&
		answer !== ANSWER.leaveOut &&
		answer !== ANSWER.each &&
		answer !== ANSWER.last);

/** What the next file with these columns needs. */
const toRemember = ({ table, answers = new Map(), payments }: PaymentReading) => ({
	headers: table?.headers,
	answers: Object.fromEntries([...answers].filter(isForNextFile)),
	payments: payments.map(toPastPayment),
});
