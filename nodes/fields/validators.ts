import { createHash } from 'node:crypto';

import type { Option, ValueAliases } from '../service/enums';
import type { UserMessage } from '../service/messages';
import { fail, ok, type Result } from '../service/result';
import { userMessage } from './messages';
import {
	compareDecimals,
	decimalPlaces,
	EXACT_DIGITS,
	exactNumber,
	parseDecimal,
	type AmountFormat,
} from './money';
import { findInvisible, hasBrokenLetters, normalizeText, normalizeWord, trimmed } from './text';

/** A value as it is sent. */
export type FieldValue = string | number | string[];

/** The values of one item that were read so far, by field name. */
export type Values = Record<string, FieldValue | undefined>;

/**
 * Checks one value that is not empty. Takes what the user gave (text, number, whatever an expression or
 * a spreadsheet cell held), the values of the fields before it, and how amounts are written, where that
 * is known. Never throws.
 */
export type Validator = (raw: unknown, values: Values, format?: AmountFormat) => Result<FieldValue>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text is a UUID, of any version. */
export function isUuid(text: string): boolean {
	return UUID.test(text);
}

/**
 * The length of a text, counted in the two ways in which services count: an emoji is one character, but
 * two UTF-16 units, which is what many programs count. A limit has to hold in both.
 */
function lengthsOf(text: string): { codePoints: number; codeUnits: number } {
	return { codePoints: [...text].length, codeUnits: text.length };
}

/**
 * Text of a cell or field. Numbers become their digits, because spreadsheets turn identifiers into
 * numbers; other kinds of value are refused rather than sent as `[object Object]`.
 */
function toText(raw: unknown): string | undefined {
	if (typeof raw === 'string') return raw.trim();
	if (typeof raw === 'number' && Number.isSafeInteger(raw)) return String(raw);
	if (typeof raw === 'number' && Number.isFinite(raw)) {
		const decimal = parseDecimal(raw);
		return decimal.ok ? decimal.value : undefined;
	}
	return undefined;
}

const NOT_TEXT = fail(userMessage('notText'));

/** Text that matches a pattern. */
function textLike(isRight: (value: string) => boolean, error: UserMessage): Validator {
	const wrong = fail(error);
	return (raw) => {
		const value = toText(raw);
		return value !== undefined && isRight(value) ? ok(value) : wrong;
	};
}

/** Text that passes another check and a further rule. */
function narrower(
	check: Validator,
	errorOf: (value: string) => UserMessage | undefined,
): Validator {
	return (raw, values) => {
		const checked = check(raw, values);
		const error = checked.ok ? errorOf(checked.value as string) : undefined;
		return error ? fail(error) : checked;
	};
}

/** Text of at most `max` characters (no limit when left out). */
export function text({ max }: { max?: number } = {}): Validator {
	return (raw) => {
		const value = toText(raw);
		if (value === undefined) return NOT_TEXT;
		if (hasBrokenLetters(value)) return fail(userMessage('brokenLetters'));
		const { codePoints, codeUnits } = lengthsOf(value);
		if (max === undefined || codeUnits <= max) return ok(value);
		const code = codePoints <= max ? 'tooLongInCodeUnits' : 'tooLong';
		return fail(userMessage(code, { max, count: codeUnits }));
	};
}

/** Text with a length between `min` and `max` characters. */
export function textBetween(min: number, max: number): Validator {
	return narrower(text({ max }), (value) =>
		lengthsOf(value).codePoints < min ? userMessage('wrongLength', { min, max }) : undefined,
	);
}

/**
 * Text that has to be right to the last character: nothing in it that a person cannot see, and no
 * number that a spreadsheet has rounded. Blanks and invisible characters at the ends are left out.
 */
function exactText(raw: unknown): Result<string> {
	if (typeof raw === 'number' && Math.abs(raw) >= 10 ** EXACT_DIGITS) {
		return fail(userMessage('roundedNumber', { digits: EXACT_DIGITS }));
	}
	const value = typeof raw === 'string' ? trimmed(raw) : toText(raw);
	if (value === undefined) return NOT_TEXT;
	const found = findInvisible(value);
	return found ? fail(userMessage('invisibleCharacter', found)) : ok(value);
}

/**
 * An identifier such as an account number: text whose digits a spreadsheet must not have changed. A
 * negative number or one with decimals is refused. Leading zeros are kept.
 */
export function identifier(): Validator {
	return (raw) => {
		const checked = exactText(raw);
		if (!checked.ok) return checked;
		// `1234567.0` is what spreadsheet programs and libraries make of a whole number.
		const value = checked.value.replace(/^(\d+)\.0+$/, '$1');
		if (/^[-+\u2212]?\d+([.,]\d+)?e[-+]?\d+$/i.test(value)) {
			return fail(userMessage('shortenedNumber'));
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

/** Number of a bank account: letters and digits, with nothing between them. */
export function accountNumber(): Validator {
	return narrower(identifier(), (value) =>
		/^[0-9A-Z]+$/i.test(value) ? undefined : userMessage('notAccountNumber'),
	);
}

/** A bank's SWIFT code, the only kind of code that may be without a digit. */
const SWIFT = /^[A-Z]{4}(BO|BR|CL|CN|CO|CR|GT|PA|PE|PY|UY)[A-Z0-9]{2}([A-Z0-9]{3})?$/;

/** Code of a bank. The service does not document its codes, but a name such as `BNB` cannot be one. */
export function bankCode(): Validator {
	return narrower(identifier(), (value) =>
		/[0-9]/.test(value) || SWIFT.test(value) ? undefined : userMessage('bankName'),
	);
}

/** A reference of the user's own, of at most `max` characters (no limit when left out). */
export function reference({ max }: { max?: number } = {}): Validator {
	const upTo = text({ max });
	return (raw, values) => {
		const checked = exactText(raw);
		return checked.ok ? upTo(checked.value, values) : checked;
	};
}

/** Only digits, `min` to `max` of them. Leading zeros are kept. */
export function digits(min: number, max: number): Validator {
	return narrower(identifier(), (value) => {
		if (!/^[0-9]+$/.test(value)) {
			return userMessage(/\p{L}/u.test(value) ? 'lettersInDigits' : 'notDigits');
		}
		return value.length < min || value.length > max
			? userMessage('wrongDigitCount', { min, max, count: value.length })
			: undefined;
	});
}

/** A UUID of any version. `hint` is for a value that is none. */
export function uuid(hint = 'For example 5f0c6f6e-3b1d-4f7e-9a53-0c1d2e3f4a5b.'): Validator {
	return textLike(isUuid, userMessage('notUuid', { hint }));
}

/**
 * One of the options. Upper and lower case and punctuation do not matter; the service's own spelling
 * is sent.
 *
 * @param aliases what people write for the values
 */
export function oneOf(options: Option[], aliases: ValueAliases = {}): Validator {
	const spelling = new Map(
		options.flatMap(({ value }) =>
			[...(aliases[value] ?? []), value].map((alias) => [normalizeWord(alias), value]),
		),
	);
	const all = options.map(({ value }) => value).join(', ');
	return (raw) => {
		const value = spelling.get(normalizeWord(toText(raw) ?? ''));
		return value === undefined ? fail(userMessage('notAChoice', { choices: all })) : ok(value);
	};
}

/** A list with at least one entry, as text separated by commas or as a real list. */
export function listOf(options: Option[]): Validator {
	const one = oneOf(options);
	return (raw, values) => {
		const entries = Array.isArray(raw) ? raw : String(raw).split(',');
		const chosen: string[] = [];
		for (const entry of entries) {
			const checked = one(entry, values);
			if (!checked.ok) return checked;
			if (!chosen.includes(checked.value as string)) chosen.push(checked.value as string);
		}
		return chosen.length ? ok(chosen) : fail(userMessage('noChoice'));
	};
}

/** Section 4.10. */
const CRYPTO_PLACES = 8;

// The service's minimum is 0; a payment of nothing is a mistake all the same.
const NOT_POSITIVE = fail(userMessage('notPositive'));

const AMBIGUOUS = fail(userMessage('ambiguousAmount'));

/** An amount as a decimal. Where two readings are possible, the hint names the option for the format. */
function readDecimal(
	raw: unknown,
	places: number | undefined,
	format?: AmountFormat,
): Result<string> {
	const decimal = parseDecimal(raw, places, format);
	return !decimal.ok && decimal.error.code === 'ambiguousNumber' ? AMBIGUOUS : decimal;
}

/** Whether a text is read with three decimals that may as well be thousands. */
function hasThreeDecimals(raw: unknown, format?: AmountFormat): boolean {
	const pattern = format?.decimal === ',' ? /^[1-9]\d{0,2},\d{3}$/ : /^[1-9]\d{0,2}\.\d{3}$/;
	return typeof raw === 'string' && pattern.test(raw.trim());
}

const tooManyDecimals = (places: number) => fail(userMessage('tooManyDecimals', { places }));

/**
 * A number above 0, sent as a JSON number.
 *
 * @param places at most so many decimals, counted in decimal text and not in binary floating point
 * @param isCrypto three decimals are usual there; in money they may be a thousands separator
 */
export function amount({
	places,
	isCrypto,
}: { places?: number; isCrypto?: boolean } = {}): Validator {
	return (raw, _, format) => {
		const decimal = readDecimal(raw, isCrypto ? CRYPTO_PLACES : places, format);
		if (!decimal.ok) return decimal;
		if (compareDecimals(decimal.value, '0') <= 0) return NOT_POSITIVE;
		// In much of Latin America 1.250 is one thousand two hundred and fifty.
		if (!isCrypto && !format?.isChosen && hasThreeDecimals(raw, format)) {
			return AMBIGUOUS;
		}
		if (places !== undefined && decimalPlaces(decimal.value) > places)
			return tooManyDecimals(places);
		const number = exactNumber(decimal.value);
		return number === undefined ? fail(userMessage('tooManyDigits')) : ok(number);
	};
}

/** A positive decimal with at most `places` decimals, sent as text so that every digit arrives. */
export function decimalText(places: number): Validator {
	return (raw, _, format) => {
		const decimal = readDecimal(raw, places, format);
		if (!decimal.ok) return decimal;
		if (compareDecimals(decimal.value, '0') <= 0) return NOT_POSITIVE;
		if (decimalPlaces(decimal.value) > places) return tooManyDecimals(places);
		return ok(decimal.value);
	};
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const TRON_PREFIX = 0x41;

/** Whether the text has the shape of an Ethereum or Polygon address (0x and 40 hexadecimal digits). */
export function isEvmAddress(text: string): boolean {
	return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/**
 * Whether the text is a TRON address: base58 of one prefix byte, 20 address bytes and a four-byte
 * checksum. The checksum catches a mistyped character, after which the coins would be gone.
 */
export function isTronAddress(text: string): boolean {
	if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return false;
	let number = 0n;
	for (const character of text) number = number * 58n + BigInt(BASE58.indexOf(character));
	const bytes = Buffer.from(number.toString(16).padStart(50, '0'), 'hex');
	if (bytes.length !== 25 || bytes[0] !== TRON_PREFIX) return false;
	const checksum = sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4);
	return checksum.equals(bytes.subarray(21));
}

function sha256(data: Buffer): Buffer {
	return createHash('sha256').update(data).digest();
}

/** A crypto address in the shape of the blockchain that another field of the same item names. */
export function cryptoAddress(blockchainField: string): Validator {
	return (raw, values) => {
		const value = toText(raw);
		if (value === undefined) return NOT_TEXT;
		const blockchain = values[blockchainField];
		if (blockchain === 'TRON') {
			return isTronAddress(value) ? ok(value) : fail(userMessage('notTronAddress'));
		}
		if (blockchain === 'Ethereum' || blockchain === 'Polygon') {
			return isEvmAddress(value) ? ok(value) : fail(userMessage('notEvmAddress', { blockchain }));
		}
		return isEvmAddress(value) || isTronAddress(value)
			? ok(value)
			: fail(userMessage('notCryptoAddress'));
	};
}

/** A time of day or duration as HH:MM:SS, 00:00:00 to 23:59:59. */
export function clockTime(): Validator {
	return textLike(
		(value) => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(value),
		userMessage('notClockTime'),
	);
}

/** An email address, in shape only: the service has the last word. */
export function email(): Validator {
	return textLike((value) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value), userMessage('notEmail'));
}

/** An http or https address. */
export function webAddress(): Validator {
	return textLike(
		(value) => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol),
		userMessage('notWebAddress'),
	);
}

/** Whether nothing was given: such a field is not sent, and counts as missing where it is required. */
export function isEmpty(raw: unknown): boolean {
	if (raw === undefined || raw === null) return true;
	// A text of blanks and invisible characters looks empty, so it counts as empty.
	if (typeof raw === 'string') return trimmed(raw) === '';
	return Array.isArray(raw) && raw.length === 0;
}

/**
 * References and transaction IDs in a text, one on each line, because a reference may hold blanks and
 * commas. UUIDs may share a line.
 */
export function listedNames(raw: unknown): string[] {
	return (Array.isArray(raw) ? raw : [raw])
		.flatMap((entry) => String(entry ?? '').split(/[\r\n]+/))
		.flatMap((line) => {
			const parts = line.split(/[\s,;]+/).filter((part) => part !== '');
			return parts.every(isUuid) ? parts : [line];
		})
		.map(normalizeText)
		.filter((name) => name !== '');
}
