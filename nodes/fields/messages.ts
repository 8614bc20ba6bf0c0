import { catalogue, type MessageTemplate } from '../service/messages';

const USE_A_DOT = 'Use a dot before the decimals, for example 1250.50.';

const LOST_DIGITS = 'Format the cell as text to keep all digits, and round computed values.';

const SET_DECIMAL_SEPARATOR =
	'Set Reading > Decimal Separator, or remove thousands separators and use a dot before the decimals, such as 1250.50.';

const COPY_AGAIN = 'Copy it again. One wrong character sends the money to nobody.';

/** What is wrong with a value. Each text continues the label of its field. */
export const FIELD_MESSAGES = {
	required: { text: 'is required', hint: 'Enter a value.' },
	requiredWhen: { text: 'is required when {condition}', hint: 'Enter a value.' },
	countryMissing: {
		text: 'is required for a currency other than BOB and USD. Without it, the service takes Bolivia',
		hint: 'Enter the country of the bank, such as CL: in a column country, under Default Values or under Additional Fields.',
	},
	expressionFails: {
		text: 'cannot be evaluated ({reason})',
		hint: 'Correct the expression.',
	},

	notText: { text: 'must be text', hint: 'Enter text or a whole number.' },
	brokenLetters: {
		text: 'was read with the wrong encoding and lost letters',
		hint: 'In the node that reads the file, set Encoding to Latin1, or to UTF-8 if it is Latin1 now.',
	},
	tooLong: {
		text: 'has {count} characters, but may have at most {max}',
		hint: 'Shorten it. An emoji counts as two or more.',
	},
	wrongLength: { text: 'must have {min} to {max} characters', hint: 'Enter the whole value.' },
	roundedNumber: {
		text: 'is a number with more than {digits} digits, which spreadsheets round',
		hint: 'Format the cell as text and enter the whole value again.',
	},
	invisibleCharacter: {
		text: 'has an invisible character ({character}) at position {place}',
		hint: 'Type the value again: the character was copied with the text.',
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
	spreadsheetError: {
		text: 'is an error of the spreadsheet',
		hint: 'Correct the formula in the file, or enter the value.',
	},
	placeholder: {
		text: 'is a placeholder or an example',
		hint: 'Enter the real value.',
	},
	noNumber: {
		text: 'has no digit other than 0',
		hint: 'Enter the number of the payee.',
	},
	notAccountNumber: {
		text: 'must have digits and letters only',
		hint: 'Enter one account number without spaces, dots and hyphens. Keep leading zeros.',
	},
	accountSeparated: {
		text: 'must have digits and letters only',
		hint: 'Ask the service whether its accounts have separators. Then set Reading > Account Separators to Remove or Keep.',
	},
	bankName: {
		text: 'is a bank name without a code',
		hint: 'Add it to Reading > Bank Names with its code, which the service has in its list of banks.',
	},
	documentWithPlace: {
		text: 'has a place of issue behind the number',
		hint: 'If it is not a part of the number, set Reading > Document Suffix to Remove Issuing Place.',
	},
	notDigits: {
		text: 'must have digits only',
		hint: 'Remove spaces, dots and hyphens.',
	},
	digitsWithSuffix: {
		text: 'must have digits only',
		hint: 'What stands behind the hyphen may be a check digit or a complement. Ask the service how it takes such a document. Do not simply remove the hyphen.',
	},
	lettersInDigits: {
		text: 'must have digits only',
		hint: 'Ask the service how it takes such a document. Do not simply remove the letters: the digits alone may be another person’s number.',
	},
	wrongDigitCount: {
		text: 'has {count} digits, but must have {min} to {max}',
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
	notOnAssumedBlockchain: {
		text: 'must be a {blockchain} address (0x and 40 hexadecimal digits) unless Blockchain is set',
		hint: 'Set Blockchain, or enter a {blockchain} address. Without a blockchain, the service takes {blockchain}.',
	},
	wrongChecksum: {
		text: 'has a wrong checksum, so a digit or the case of a letter was changed',
		hint: COPY_AGAIN,
	},
	zeroAddress: {
		text: 'is the zero address, which belongs to nobody',
		hint: 'Enter the address of the recipient.',
	},
	tokenContract: {
		text: 'is the contract of the token {token} on {blockchain}, which loses what is sent to it',
		hint: 'Enter the address of the recipient.',
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

	notNumber: { text: 'must be a number', hint: USE_A_DOT },
	notPlainNumber: {
		text: 'must be a number',
		hint: `Remove currency signs and words. ${USE_A_DOT}`,
	},
	otherDecimalSeparator: {
		text: 'does not use a decimal {separator}',
		hint: 'Write it like the other amounts of the column.',
	},
	ambiguousNumber: {
		text: 'can be read as more than one amount',
		hint: `Use thousands separators only as in 1,250.00. ${USE_A_DOT}`,
	},
	ambiguousAmount: { text: 'can be read as more than one amount', hint: SET_DECIMAL_SEPARATOR },
	scientificAmount: {
		text: 'is in scientific notation and may have lost digits',
		hint: `Format the cell as a number. ${USE_A_DOT}`,
	},
	tooLargeNumber: {
		text: 'is larger than a number can hold exactly',
		hint: LOST_DIGITS,
	},
	lostDigits: {
		text: 'has more digits than a number can hold exactly',
		hint: LOST_DIGITS,
	},
	notPositive: { text: 'must be more than 0', hint: 'Enter a positive amount.' },
	tooManyDecimals: {
		text: 'must have at most {places} decimals',
		hint: 'Round it to {places} decimals.',
	},
	tooManyDigits: {
		text: 'has more digits than can be sent exactly',
		hint: 'Use at most 15 digits.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const userMessage = catalogue(FIELD_MESSAGES);
