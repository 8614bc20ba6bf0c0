import { BLOCKCHAINS, type Option, type ValueAliases } from '../service/enums';
import {
	fail,
	inEachLanguage,
	ok,
	type Result,
	type UserMessage,
	userMessage,
} from '../messages/userMessage';
import { matches, MAX_EXAMINED, replaceCharacters, startOf } from '../service/outsideText';
import { isEvmAddress, isTronAddress, recipientError } from './addresses';
import {
	compareDecimals,
	decimalPlaces,
	EXACT_DIGITS,
	exactNumber,
	parseDecimal,
	type AmountFormat,
} from './money';
import {
	findInvisible,
	hasBrokenLetters,
	isBlank,
	joinWords,
	listedWords,
	normalizeText,
	normalizeWord,
	trimmed,
	wordsOf,
} from './text';

/** A value as it is sent. */
export type FieldValue = string | number | string[];

/** The valid values of one item, by field name. */
export type Values = Record<string, FieldValue | undefined>;

/**
 * Validates a value that is not empty. Never throws.
 *
 * @param raw whatever a parameter, an expression or a spreadsheet cell holds
 * @param values of the fields before it
 * @param format of amounts, if known
 * @returns the value to send
 */
export type Validator = (raw: unknown, values: Values, format?: AmountFormat) => Result<FieldValue>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const UUID_LENGTH = 36;

/** Whether a text is a UUID of any version. */
export function isUuid(text: string): boolean {
	return matches(UUID, text);
}

/**
 * The text of a cell or field. Numbers become their digits, because spreadsheets turn identifiers into
 * numbers. Undefined for other values, which must not be sent as `[object Object]`.
 */
function toText(raw: unknown): string | undefined {
	if (typeof raw === 'string') return raw.trim();
	if (Number.isSafeInteger(raw)) return String(raw);
	const decimal = parseDecimal(raw);
	return decimal.ok ? decimal.value : undefined;
}

const NOT_TEXT = fail(userMessage('notText'));

/** Text that passes a test; otherwise this error. */
function textLike(isValid: (value: string) => boolean, error: UserMessage): Validator {
	const failure = fail(error);
	return (raw) => {
		const value = toText(raw);
		return value !== undefined && isValid(value) ? ok(value) : failure;
	};
}

/** Text that passes a validator, and for which `errorOf` has no error. */
function narrower(
	validate: Validator,
	errorOf: (value: string, values: Values) => UserMessage | undefined,
): Validator {
	return (raw, values) => {
		const result = validate(raw, values);
		const error = result.ok ? errorOf(result.value as string, values) : undefined;
		return error ? fail(error) : result;
	};
}

/** What spreadsheet programs show where a formula failed, in English and Spanish, and a formula that is a text. */
const SPREADSHEET_ERROR = /^(#N\/[AD]|#[¡¿]?[\p{L}/0]{3,14}[!?]|Err:\d{3}|=.+)$/iu;

/** Whether a text is what a spreadsheet program shows where a formula failed. */
export function isSpreadsheetError(text: string): boolean {
	return matches(SPREADSHEET_ERROR, text);
}

/** Text of at most `max` characters. Some services count code points, others code units, of which an emoji has two. */
export function anyText({ max }: { max?: number } = {}): Validator {
	return (raw) => {
		const value = toText(raw);
		if (value === undefined) return NOT_TEXT;
		if (hasBrokenLetters(value)) return fail(userMessage('brokenLetters'));
		if (isSpreadsheetError(value)) return fail(userMessage('spreadsheetError'));
		const { length: count } = value;
		if (max === undefined || count <= max) return ok(value);
		return fail(userMessage('tooLong', { max, count }));
	};
}

/** What people and programs write if there is no name, and what has no letter and no digit. */
const NO_NAME = /^([NnSs]\/[AaDdNn]|null|undefined|NaN|[\p{P}\s]+)$/u;

/** The first word of a row that a template has as an example, the word of a total, or a number. */
const EXAMPLE = /^((ejemplo|example)(?!\p{L})|((sub)?total(es)?|[\d\p{P}\s]+)$)/iu;

/** A letter that a program could not write, or wrote in the encoding of a Mac: `Nu?ez`, `Nu–ez`. */
const LOST_LETTER = /\p{L}\?|\p{Ll}([–—]\p{Ll}|Ž)/u;

/** The name of a payee, or a part of it. */
export function personName(): Validator {
	return narrower(anyText(), (value) => {
		if (matches(NO_NAME, value) || EXAMPLE.test(startOf(value))) return userMessage('placeholder');
		return matches(LOST_LETTER, value) ? userMessage('brokenLetters') : undefined;
	});
}

/** Text of `min` to `max` characters. */
export function textBetween(min: number, max: number): Validator {
	return narrower(anyText({ max }), (value) =>
		[...value].length < min ? userMessage('wrongLength', { min, max }) : undefined,
	);
}

/**
 * Text in which every character matters: without invisible characters, and not a number that a spreadsheet
 * rounded. Spaces and invisible characters at its ends are removed.
 */
function exactText(raw: unknown): Result<string> {
	if (typeof raw === 'number' && Math.abs(raw) >= 10 ** EXACT_DIGITS) {
		return fail(userMessage('lostDigits'));
	}
	const value = typeof raw === 'string' ? trimmed(raw) : toText(raw);
	if (value === undefined) return NOT_TEXT;
	if (value.length > MAX_EXAMINED) {
		return fail(userMessage('tooLong', { max: MAX_EXAMINED, count: value.length }));
	}
	if (isSpreadsheetError(value)) return fail(userMessage('spreadsheetError'));
	const found = findInvisible(value);
	return found ? fail(userMessage('invisibleCharacter', found)) : ok(value);
}

/**
 * An identifier such as an account number. Keeps leading zeros. Rejects negative numbers, decimals and
 * digits that a spreadsheet changed.
 */
export function identifier(): Validator {
	return (raw) => {
		const text = exactText(raw);
		if (!text.ok) return text;
		// Some spreadsheet programs and libraries write a whole number as `1234567.0`.
		const value = text.value.replace(/^(\d+)\.0+$/, '$1');
		if (/^[-+\u2212]?\d+([.,]\d+)?e[-+]?\d+$/i.test(value)) {
			return fail(userMessage('lostDigits'));
		}
		if (/(?![0-9])\p{Nd}/u.test(value)) {
			return fail(userMessage('otherDigits'));
		}
		if (/^[-\u2212][\d.,]+$|^\d+[.,]\d+$/.test(value)) {
			return fail(userMessage('signOrDecimals'));
		}
		return ok(value);
	};
}

/** Numbers of zeros, and `N/A` or `-`, are nobody's. */
const HAS_NUMBER = /[1-9]/;

/** What people write between the groups of an account number. */
const ACCOUNT_SEPARATORS = /[\s.\-\u2010-\u2015]/gu;

/** An account number without what separates its groups. */
export function withoutSeparators(account: string): string {
	return replaceCharacters(account, ACCOUNT_SEPARATORS, '');
}

/** The number of a bank account: letters and digits only. Whether separators are a part of it, only a person knows. */
export function accountNumber(): Validator {
	return narrower(identifier(), (value) => {
		if (!HAS_NUMBER.test(value)) return userMessage('noNumber');
		return /^[0-9A-Z]+$/i.test(value) ? undefined : userMessage('notAccountNumber');
	});
}

/** Whether an account is one number in groups, so that what separates them can go. */
export function isGrouped(account: string): boolean {
	// A number with a sign or with decimals is no account: `1234567.0` is one of 7 digits.
	if (!GROUPED.test(account) || /^\d+\.\d+$/.test(account)) return false;
	const groups = account.split(ACCOUNT_SEPARATORS);
	// `CA 4010203040` has a word, which is no part of the number. An IBAN may have a group of letters.
	const isIban = /^[A-Z]{2}\d{2}/i.test(account);
	const hasWord = !isIban && groups.some((group) => /^[A-Z]{2,}$/i.test(group));
	const areSeveral = groups.filter(({ length }) => length >= MIN_ACCOUNT).length > 1;
	return !hasWord && !areSeveral;
}

const GROUPED = /^[0-9A-Z]+([\s.\-\u2010-\u2015][0-9A-Z]+)+$/iu;

/** Two groups of so many characters are two accounts. */
const MIN_ACCOUNT = 9;

/** What may be the code of a bank: no blanks and no accents, as in names. */
const BANK_CODE = /^[0-9A-Z._/-]+$/i;

/**
 * The code of a bank. The codes are not documented, so letters may be one unless there is a table of names.
 *
 * @param names codes by the names that people write; see `bankNameKey`
 */
export function bankCode(names: ReadonlyMap<string, string> = new Map()): Validator {
	const identify = identifier();
	const codes = new Set([...names.values()].map((code) => code.toLowerCase()));
	return (raw, values) => {
		const code = typeof raw === 'string' ? names.get(bankNameKey(raw)) : withZeros(raw, codes);
		if (code !== undefined) return ok(code);
		const text = identify(raw, values);
		if (!text.ok) return text;
		const value = text.value as string;
		const isCode =
			BANK_CODE.test(value) &&
			!NO_NAME.test(value) &&
			(/[0-9]/.test(value) || names.size === 0 || codes.has(value.toLowerCase()));
		return isCode ? text : fail(userMessage('bankName'));
	};
}

/** The one code that is this number with leading zeros, which a spreadsheet drops: `002` for 2. */
function withZeros(raw: unknown, codes: ReadonlySet<string>): string | undefined {
	if (!Number.isSafeInteger(raw)) return undefined;
	const found = [...codes].filter((code) => code.replace(/^0+/, '') === String(raw));
	return found.length === 1 ? found[0] : undefined;
}

/** What many names of banks have in common. */
const BANK_WORDS = new Set(['banco', 'bco', 'bank', 'de', 'del', 'la', 'el', 's', 'a', 'sa']);

/** The form in which names of banks are compared: `BANCO UNION S.A.` is `Unión`. */
export function bankNameKey(name: string): string {
	const words = wordsOf(name);
	const own = words.filter((word) => !BANK_WORDS.has(word)).join('');
	return own === '' ? words.join('') : own.replace(/^(banco|bank)(?=.)/, '');
}

/** A reference that the user chooses, of at most `max` characters. */
export function referenceText({ max }: { max?: number } = {}): Validator {
	const limited = anyText({ max });
	return (raw, values) => {
		const exact = exactText(raw);
		return exact.ok ? limited(exact.value, values) : exact;
	};
}

/**
 * The places that issue documents in Bolivia, as they stand behind a number: `1498123 LP`. What else stands there,
 * such as the complement `-1A`, belongs to the number.
 */
const ISSUING_PLACE =
	/^(\d+)[\s.-]{0,3}(?:LP|LPZ|CB|CBB|CBBA|SC|SCZ|OR|ORU|PT|PTS|TJ|TJA|CH|CHQ|BE|BN|BNI|PD|PN|PND|PA)\.?$/i;

/** The number of a document: `min` to `max` digits, without the place that issued it. Keeps leading zeros. */
export function documentNumber(min: number, max: number): Validator {
	const identify = identifier();
	const withoutPlace: Validator = (raw, values) => {
		const text = identify(raw, values);
		const number = text.ok ? ISSUING_PLACE.exec(startOf(String(text.value)))?.[1] : undefined;
		return number === undefined ? text : ok(number);
	};
	return narrower(withoutPlace, (value) => {
		if (!HAS_NUMBER.test(value)) return userMessage('noNumber');
		if (!/^[0-9]+$/.test(value)) return userMessage('notDigits');
		return value.length < min || value.length > max
			? userMessage('wrongDigitCount', { min, max, count: value.length })
			: undefined;
	});
}

/** A UUID of any version. `hint` goes with the error. */
export function uuid(hint = 'For example 5f0c6f6e-3b1d-4f7e-9a53-….'): Validator {
	return textLike(isUuid, userMessage('notUuid', { hint }));
}

/**
 * One of the options, in the service's spelling. Its label counts, too. Case, accents and punctuation do not matter.
 *
 * @param aliases what people write for the values
 */
export function oneOf(options: Option[], aliases: ValueAliases = {}): Validator {
	const spelling = new Map(
		options.flatMap(({ name, value }) =>
			[...(aliases[value] ?? []), name.replace(` (${value})`, ''), value].map((alias) => [
				normalizeWord(alias),
				value,
			]),
		),
	);
	const all = options.map(({ value }) => value).join(', ');
	return (raw) => {
		const value = spelling.get(normalizeWord(toText(raw) ?? ''));
		return value === undefined ? fail(userMessage('notAChoice', { choices: all })) : ok(value);
	};
}

/** At least one of the options, as a list or as text separated by commas. */
export function listOf(options: Option[]): Validator {
	const one = oneOf(options);
	return (raw, values) => {
		// A text that is too long is one entry, which is no choice.
		const isText = typeof raw === 'string' && raw.length <= MAX_EXAMINED;
		const entries = isText ? raw.split(',') : [raw].flat();
		const chosen: string[] = [];
		for (const entry of entries) {
			const result = one(entry, values);
			if (!result.ok) return result;
			if (!chosen.includes(result.value as string)) chosen.push(result.value as string);
		}
		return chosen.length ? ok(chosen) : fail(userMessage('required'));
	};
}

/** Section 4.10: the decimals of a crypto amount. */
const CRYPTO_PLACES = 8;

// The service accepts 0, but a payment of 0 is a mistake.
const NOT_POSITIVE = fail(userMessage('notPositive'));

const AMBIGUOUS = fail(userMessage('ambiguousAmount'));

/** Whether a text has three decimals, which may also be thousands. */
function hasThreeDecimals(raw: unknown, format?: AmountFormat): boolean {
	const pattern = format?.decimal === ',' ? /^[1-9]\d{0,2},\d{3}$/ : /^[1-9]\d{0,2}\.\d{3}$/;
	return typeof raw === 'string' && matches(pattern, raw.trim());
}

/**
 * The canonical decimal of an amount above 0.
 *
 * @param most the most decimals that it may have, counted in decimal text
 * @param read the decimals up to which a number is read exactly
 */
function positiveDecimal(
	raw: unknown,
	format: AmountFormat | undefined,
	most: number | undefined,
	read = most,
): Result<string> {
	const decimal = parseDecimal(raw, read, format);
	if (!decimal.ok) return decimal;
	if (compareDecimals(decimal.value, '0') <= 0) return NOT_POSITIVE;
	// In much of Latin America, 1.250 is one thousand two hundred and fifty.
	if (!format?.isChosen && hasThreeDecimals(raw, format)) return AMBIGUOUS;
	return most !== undefined && decimalPlaces(decimal.value) > most
		? fail(userMessage('tooManyDecimals', { places: most }))
		: decimal;
}

/**
 * A number above 0, sent as a JSON number.
 *
 * @param places the most decimals that it may have
 * @param isCrypto it may have as many decimals as a crypto amount
 */
export function positiveAmount({
	places,
	isCrypto,
}: { places?: number; isCrypto?: boolean } = {}): Validator {
	return (raw, _, format) => {
		const decimal = positiveDecimal(raw, format, places, isCrypto ? CRYPTO_PLACES : places);
		if (!decimal.ok) return decimal;
		const number = exactNumber(decimal.value);
		return number === undefined ? fail(userMessage('tooManyDigits')) : ok(number);
	};
}

/** A number above 0 with at most `places` decimals, sent as text to keep every digit. */
export function decimalText(places: number): Validator {
	return (raw, _, format) => positiveDecimal(raw, format, places);
}

const ANY_BLOCKCHAIN = inEachLanguage((language) =>
	joinWords(
		BLOCKCHAINS.map(({ value }) => value),
		'or',
		language,
	),
);

/**
 * An address of somebody on the blockchain that the field `blockchain` of the item names.
 *
 * @param assumed the blockchain that the service takes if that field is empty. Without one, any will do.
 */
export function cryptoAddress(assumed?: string): Validator {
	return narrower(anyText(), (value, values) => {
		const given = values.blockchain as string | undefined;
		const blockchain = given ?? assumed;
		const fits =
			(blockchain !== 'TRON' && isEvmAddress(value)) ||
			(blockchain !== 'Ethereum' && blockchain !== 'Polygon' && isTronAddress(value));
		if (fits) return recipientError(value);
		if (given === undefined && assumed !== undefined)
			return userMessage('notOnAssumedBlockchain', { blockchain: assumed });
		return userMessage('notCryptoAddress', { blockchain: given ?? ANY_BLOCKCHAIN });
	});
}

/** A time HH:MM:SS, 00:00:00 to 23:59:59. */
export function clockTime(): Validator {
	return textLike(
		(value) => matches(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/, value),
		userMessage('notClockTime'),
	);
}

/** One `@`, and after it a dot that is neither the first nor the last character. */
const EMAIL = /^[^\s@]+@(?=[^\s@]+$)[^][^.]*\.[^]/;

/** Text that looks like an email address. The service decides whether it is one. */
export function emailAddress(): Validator {
	return textLike((value) => matches(EMAIL, value), userMessage('notEmail'));
}

/** An http or https address. */
export function webAddress(): Validator {
	return textLike(
		(value) => matches(/^https?:/i, value) && URL.canParse(value),
		userMessage('notWebAddress'),
	);
}

/** Whether a value is missing: it is not sent, and an error if it is required. */
export function isEmpty(raw: unknown): boolean {
	if (raw === undefined || raw === null) return true;
	// Text of spaces and invisible characters looks empty, too.
	if (typeof raw === 'string') return isBlank(raw);
	return Array.isArray(raw) && raw.length === 0;
}

/**
 * The references and transaction IDs in a text, one on each line, because a reference may contain spaces
 * and commas. UUIDs may share a line.
 */
export function listedNames(raw: unknown): string[] {
	return (Array.isArray(raw) ? raw : [raw])
		.flatMap((entry) =>
			String(entry ?? '')
				.replaceAll('\r', '\n')
				.split('\n'),
		)
		.flatMap((entry) => {
			const line = entry.trim();
			// Most lines are one name, as their start shows.
			const [first] = listedWords(line.slice(0, 2 * UUID_LENGTH));
			const parts = first === undefined || isUuid(first) ? listedWords(line) : [line];
			return parts.every(isUuid) ? parts : line;
		})
		.map(normalizeText)
		.filter((name) => name !== '');
}
