import { catalogue, type MessageTemplate } from '../service/messages';

const USE_A_DOT = 'Use a dot before the decimals, for example 1250.50.';

const LOST_DIGITS = 'Format the cell as text to keep all digits, and round computed values.';

const SET_DECIMAL_SEPARATOR =
	'Set Reading > Decimal Separator, or remove thousands separators and use a dot before the decimals, such as 1250.50.';

const COPY_AGAIN = 'Copy it again. One wrong character sends the money to nobody.';

/** What is wrong with a value. Each text continues the label of its field. */
export const FIELD_MESSAGES = {
	required: {
		text: 'is required',
		hint: 'Enter a value.',
		es: 'es obligatorio',
	},
	requiredWhen: {
		text: 'is required when {condition}',
		hint: 'Enter a value.',
		es: 'es obligatorio si {condition}',
	},
	countryMissing: {
		text: 'is required for a currency other than BOB and USD. Without it, the service takes Bolivia',
		hint: 'Enter the country of the bank, such as CL: in a column country, under Default Values or under Additional Fields.',
		es: 'es obligatorio para una moneda que no es BOB ni USD. Sin él, el servicio supone Bolivia',
	},
	expressionFails: {
		text: 'cannot be evaluated ({reason})',
		hint: 'Correct the expression.',
	},

	notText: {
		text: 'must be text',
		hint: 'Enter text or a whole number.',
		es: 'debe ser un texto',
	},
	brokenLetters: {
		text: 'was read with the wrong encoding and lost letters',
		hint: 'Save the file as XLSX or CSV UTF-8, or change Encoding in the node that reads it.',
		es: 'se leyó con otra codificación y perdió letras',
		esHint:
			'Guarda el archivo como XLSX o CSV UTF-8, o cambia Encoding (codificación) en el nodo que lo lee.',
	},
	tooLong: {
		text: 'has {count} characters, but may have at most {max}',
		hint: 'Shorten it. An emoji counts as two or more.',
		es: 'tiene {count} caracteres, y puede tener como máximo {max}',
	},
	wrongLength: {
		text: 'must have {min} to {max} characters',
		hint: 'Enter the whole value.',
		es: 'debe tener entre {min} y {max} caracteres',
	},
	roundedNumber: {
		text: 'is a number with more than {digits} digits, which spreadsheets round',
		hint: 'Format the cell as text and enter the whole value again.',
		es: 'es un número de más de {digits} dígitos, y las planillas los redondean',
	},
	invisibleCharacter: {
		text: 'has an invisible character ({character}) at position {place}',
		hint: 'Type the value again: the character was copied with the text.',
		es: 'tiene un carácter invisible ({character}) en la posición {place}',
	},
	shortenedNumber: {
		text: 'is in scientific notation, so digits are lost',
		hint: 'Format the cell as text and enter the number again.',
		es: 'está en notación científica y perdió dígitos',
	},
	otherDigits: {
		text: 'has digits of another script',
		hint: 'Type the digits 0 to 9.',
		es: 'tiene dígitos de otra escritura',
	},
	signOrDecimals: {
		text: 'must not be negative or have decimals',
		hint: 'Check that the value is in the right column, and format the cell as text.',
		es: 'no puede ser negativo ni tener decimales',
	},
	spreadsheetError: {
		text: 'is an error of the spreadsheet',
		hint: 'Correct the formula in the file, or enter the value.',
		es: 'es un error de la hoja de cálculo',
	},
	placeholder: {
		text: 'is a placeholder or an example',
		hint: 'Enter the real value.',
		es: 'es un relleno o un ejemplo',
	},
	noNumber: {
		text: 'has no digit other than 0',
		hint: 'Enter the number of the payee.',
		es: 'no tiene más dígitos que 0',
	},
	notAccountNumber: {
		text: 'must have digits and letters only',
		hint: 'Enter one account number without spaces, dots and hyphens. Keep leading zeros.',
		es: 'solo puede tener dígitos y letras',
	},
	accountSeparated: {
		text: 'must have digits and letters only',
		hint: 'Ask the service whether its accounts have separators. Then set Reading > Account Separators to Remove or Keep.',
		es: 'solo puede tener dígitos y letras',
		esHint:
			'Pregunta al servicio si sus cuentas llevan separadores. Después elige Remove (quitar) o Keep (conservar) en Reading > Account Separators (separadores de cuentas).',
	},
	bankName: {
		text: 'is a bank name without a code',
		hint: 'Add it to Reading > Bank Names with its code, which the service has in its list of banks.',
		es: 'es el nombre de un banco sin código',
		esHint:
			'Agrégalo en Reading > Bank Names (nombres de bancos) con su código, que el servicio tiene en su lista de bancos.',
	},
	documentWithPlace: {
		text: 'has a place of issue behind the number',
		hint: 'If it is not a part of the number, set Reading > Document Suffix to Remove Issuing Place.',
		es: 'tiene el lugar de expedición detrás del número',
		esHint:
			'Si no es parte del número, elige Remove Issuing Place (quitar el lugar de expedición) en Reading > Document Suffix (sufijo del documento).',
	},
	notDigits: {
		text: 'must have digits only',
		hint: 'Remove spaces, dots and hyphens.',
		es: 'solo puede tener dígitos',
	},
	digitsWithSuffix: {
		text: 'must have digits only',
		hint: 'What stands behind the hyphen may be a check digit or a complement. Ask the service how it takes such a document. Do not simply remove the hyphen.',
		es: 'solo puede tener dígitos',
		esHint:
			'Lo que está detrás del guion puede ser un dígito verificador o un complemento. Pregunta al servicio cómo se escribe un documento así. No quites simplemente el guion.',
	},
	lettersInDigits: {
		text: 'must have digits only',
		hint: 'Ask the service how it takes such a document. Do not simply remove the letters: the digits alone may be another person’s number.',
		es: 'solo puede tener dígitos',
		esHint:
			'Pregunta al servicio cómo se escribe un documento así. No quites simplemente las letras: los dígitos solos pueden ser el número de otra persona.',
	},
	wrongDigitCount: {
		text: 'has {count} digits, but must have {min} to {max}',
		hint: 'If the document begins with zeros, check that the spreadsheet kept them.',
		es: 'tiene {count} dígitos, y debe tener entre {min} y {max}',
	},
	notUuid: { text: 'must be a UUID', hint: '{hint}', es: 'debe ser un UUID' },
	notAChoice: {
		text: 'must be one of {choices}',
		hint: 'Choose one of these.',
		es: 'debe ser uno de estos: {choices}',
	},
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

	notNumber: {
		text: 'must be a number',
		hint: USE_A_DOT,
		es: 'debe ser un número',
	},
	notPlainNumber: {
		text: 'must be a number',
		hint: `Remove currency signs and words. ${USE_A_DOT}`,
		es: 'debe ser un número',
	},
	otherDecimalSeparator: {
		text: 'does not use a decimal {separator}',
		hint: 'Write it like the other amounts of the column.',
		es: 'no usa {separator} decimal',
	},
	ambiguousNumber: {
		text: 'can be read as more than one amount',
		hint: `Use thousands separators only as in 1,250.00. ${USE_A_DOT}`,
		es: 'se puede leer como más de un monto',
	},
	ambiguousAmount: {
		text: 'can be read as more than one amount',
		hint: SET_DECIMAL_SEPARATOR,
		es: 'se puede leer como más de un monto',
	},
	scientificAmount: {
		text: 'is in scientific notation and may have lost digits',
		hint: `Format the cell as a number. ${USE_A_DOT}`,
		es: 'está en notación científica y puede haber perdido dígitos',
	},
	tooLargeNumber: {
		text: 'is larger than a number can hold exactly',
		hint: LOST_DIGITS,
		es: 'es mayor de lo que un número puede guardar con exactitud',
	},
	lostDigits: {
		text: 'has more digits than a number can hold exactly',
		hint: LOST_DIGITS,
		es: 'tiene más dígitos de los que un número puede guardar con exactitud',
	},
	notPositive: {
		text: 'must be more than 0',
		hint: 'Enter a positive amount.',
		es: 'debe ser mayor que 0',
	},
	tooManyDecimals: {
		text: 'must have at most {places} decimals',
		hint: 'Round it to {places} decimals.',
		es: 'puede tener como máximo {places} decimales',
	},
	tooManyDigits: {
		text: 'has more digits than can be sent exactly',
		hint: 'Use at most 15 digits.',
		es: 'tiene más dígitos de los que se pueden enviar con exactitud',
	},
} as const satisfies Record<string, MessageTemplate>;

export const userMessage = catalogue(FIELD_MESSAGES);
