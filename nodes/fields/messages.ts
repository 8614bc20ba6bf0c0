import { catalogue, type MessageTemplate } from '../service/messages';

const WRITE_IT = 'Write digits with a dot before the decimals, for example 1250.50.';

const LOST_DIGITS =
	'Format the cell as text, so that all digits arrive; round what an expression computes.';

const SAY_HOW =
	'Set Decimal Separator in Options, or write it without thousands separators and with a dot before the decimals, such as 1250.50.';

const COPY_AGAIN = 'Copy it again: a single wrong character sends the money to nobody.';

/** What is wrong with a value. Each text continues the label of its field. */
export const FIELD_MESSAGES = {
	required: { text: 'is required', hint: 'Fill it in.' },
	requiredWhen: { text: 'is required when {condition}', hint: 'Fill it in.' },
	expressionFails: {
		text: 'cannot be evaluated ({reason})',
		hint: 'Correct the expression.',
	},

	notText: { text: 'must be text', hint: 'Give a text or a whole number.' },
	brokenLetters: {
		text: 'was read in the wrong encoding, so letters are lost',
		hint: 'In the node that reads the file, set Encoding to Latin1, or to UTF-8 if it is Latin1 now.',
	},
	tooLong: {
		text: 'must have at most {max} characters and has {count}',
		hint: 'Shorten it.',
	},
	tooLongInCodeUnits: {
		text: 'must have at most {max} characters and has {count}',
		hint: 'Shorten it: an emoji counts as two or more.',
	},
	wrongLength: { text: 'must have {min} to {max} characters', hint: 'Give the whole value.' },
	roundedNumber: {
		text: 'is a number of more than {digits} digits, which spreadsheets round',
		hint: 'Format the cell as text and enter the whole value again.',
	},
	invisibleCharacter: {
		text: 'has an invisible character ({character}) at place {place}',
		hint: 'It came along when the text was copied: enter the value again by hand.',
	},
	shortenedNumber: {
		text: 'is in scientific notation, so digits are lost',
		hint: 'Format the cell as text and enter the number again.',
	},
	otherDigits: { text: 'has digits of another script', hint: 'Type the digits 0 to 9.' },
	signOrDecimals: {
		text: 'must not be negative or have decimals',
		hint: 'Check that the value is in the right column, and format the cell as text.',
	},
	notAccountNumber: {
		text: 'must have digits and letters only',
		hint: 'Write one account number, without spaces, dots and hyphens. Leading zeros belong to it.',
	},
	bankName: {
		text: 'must be the code of the bank, and looks like its name',
		hint: 'Ask the service for its list of bank codes: the node cannot look them up.',
	},
	notDigits: {
		text: 'must have digits only',
		hint: 'Write it without spaces, dots and hyphens.',
	},
	lettersInDigits: {
		text: 'must have digits only',
		hint: 'Do not just leave letters out: without them it may be the number of somebody else. Ask the service how it takes such a document.',
	},
	wrongDigitCount: {
		text: 'must have {min} to {max} digits and has {count}',
		hint: 'If the document begins with zeros, check that the spreadsheet kept them.',
	},
	notUuid: { text: 'must be a UUID', hint: '{hint}' },
	notAChoice: { text: 'must be one of {choices}', hint: 'Choose one of these.' },
	noChoice: { text: 'must have at least one entry', hint: 'Choose one.' },
	notTronAddress: {
		text: 'must be a TRON address (T and 33 more characters, with a valid checksum)',
		hint: COPY_AGAIN,
	},
	notEvmAddress: {
		text: 'must be a {blockchain} address (0x and 40 hexadecimal digits)',
		hint: 'Copy it again, and check the blockchain.',
	},
	notCryptoAddress: {
		text: 'must be an Ethereum, Polygon or TRON address',
		hint: COPY_AGAIN,
	},
	notClockTime: {
		text: 'must be a time HH:MM:SS, 00:00:00 to 23:59:59',
		hint: 'For example 01:30:00.',
	},
	notEmail: { text: 'must be an email address', hint: 'For example maria@example.com.' },
	notWebAddress: {
		text: 'must be a web address',
		hint: 'For example https://example.com/callback.',
	},

	notNumber: { text: 'must be a number', hint: WRITE_IT },
	notPlainNumber: {
		text: 'must be a number',
		hint: `No currency signs or words. ${WRITE_IT}`,
	},
	otherDecimalSeparator: {
		text: 'is no amount with a decimal {separator}',
		hint: 'Write it as the other amounts of the column.',
	},
	ambiguousNumber: {
		text: 'can be read as more than one amount',
		hint: `Thousands separators are understood only as in 1,250.00. ${WRITE_IT}`,
	},
	ambiguousAmount: { text: 'can be read as more than one amount', hint: SAY_HOW },
	scientificAmount: {
		text: 'is in scientific notation, which may have lost digits',
		hint: `Format the cell as a number. ${WRITE_IT}`,
	},
	tooLargeNumber: {
		text: 'is larger than a number can hold exactly',
		hint: LOST_DIGITS,
	},
	lostDigits: {
		text: 'has more digits than a number can hold exactly',
		hint: LOST_DIGITS,
	},
	notPositive: { text: 'must be more than 0', hint: 'Give a positive amount.' },
	tooManyDecimals: {
		text: 'must have at most {places} decimals',
		hint: 'Round it to {places} decimals.',
	},
	tooManyDigits: {
		text: 'has more digits than can be sent exactly',
		hint: 'Use at most 15 digits.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const tell = catalogue(FIELD_MESSAGES);
