import { FIELD_MESSAGES } from '../fields/messages';
import { validationErrorText, type ValidationError } from '../fields/validateFields';
import type { Language } from '../report/language';
import { filled } from '../report/texts';
import { SERVICE_MESSAGES, type MessageTemplate, type UserMessage } from '../service/messages';
import { PAYMENT_MESSAGES, ROW_MESSAGES } from './messages';
import type { FinishedPayment, Row } from './payment';

/**
 * The messages that people who pay a file read on its pages and in its report, in Spanish, by error code; with what to
 * do, if the message does not say it. All other texts are in English, with their translation in docs/es/messages.json.
 */
export const SPANISH_MESSAGES = {
	requestRejected: {
		text: 'El servicio rechazó la solicitud{said}',
	},
	notAllowed: {
		text: 'El servicio no permite esta operación con esta cuenta{said}',
	},
	rejectedWithStatus: {
		text: 'El servicio rechazó la solicitud con el estado {status}{said}',
	},
	unreachable: {
		text: 'No se puede llegar al servicio: {reason}',
	},
	required: {
		text: 'es obligatorio',
	},
	requiredWhen: {
		text: 'es obligatorio si {condition}',
	},
	countryMissing: {
		text: 'es obligatorio para una moneda que no es BOB ni USD. Sin él, el servicio supone Bolivia',
	},
	brokenLetters: {
		text: 'se leyó con otra codificación y perdió letras',
	},
	tooLong: {
		text: 'tiene {count} caracteres, y puede tener como máximo {max}',
	},
	wrongLength: {
		text: 'debe tener entre {min} y {max} caracteres',
	},
	roundedNumber: {
		text: 'es un número de más de {digits} dígitos, y las planillas los redondean',
	},
	invisibleCharacter: {
		text: 'tiene un carácter invisible ({character}) en la posición {place}',
	},
	shortenedNumber: {
		text: 'está en notación científica y perdió dígitos',
	},
	otherDigits: {
		text: 'tiene dígitos de otra escritura',
	},
	signOrDecimals: {
		text: 'no puede ser negativo ni tener decimales',
	},
	spreadsheetError: {
		text: 'es un error de la hoja de cálculo',
	},
	placeholder: {
		text: 'es un relleno, no un nombre',
	},
	noNumber: {
		text: 'no tiene más dígitos que 0',
	},
	notAccountNumber: {
		text: 'solo puede tener dígitos y letras',
	},
	accountSeparated: {
		text: 'solo puede tener dígitos y letras',
	},
	bankName: {
		text: 'es el nombre de un banco sin código',
		hint: 'Agrégalo en Reading > Bank Names (nombres de bancos) con su código, que el servicio tiene en su lista de bancos.',
	},
	documentWithPlace: {
		text: 'tiene el lugar de expedición detrás del número',
		hint: 'Si no es parte del número, elige Remove Issuing Place (quitar el lugar de expedición) en Reading > Document Suffix (sufijo del documento).',
	},
	notDigits: {
		text: 'solo puede tener dígitos',
	},
	digitsWithSuffix: {
		text: 'debe tener solo dígitos',
		hint: 'Lo que está detrás del guion puede ser un dígito verificador o un complemento. Pregunta al servicio cómo se escribe un documento así. No quites simplemente el guion.',
	},
	lettersInDigits: {
		text: 'solo puede tener dígitos',
		hint: 'Pregunta al servicio cómo se escribe un documento así. No quites simplemente las letras: los dígitos solos pueden ser el número de otra persona.',
	},
	wrongDigitCount: {
		text: 'tiene {count} dígitos, y debe tener entre {min} y {max}',
	},
	notAChoice: {
		text: 'debe ser uno de estos: {choices}',
	},
	notNumber: {
		text: 'debe ser un número',
	},
	notPlainNumber: {
		text: 'debe ser un número',
	},
	otherDecimalSeparator: {
		text: 'no usa {separator} decimal',
	},
	ambiguousNumber: {
		text: 'se puede leer como más de un monto',
	},
	ambiguousAmount: {
		text: 'se puede leer como más de un monto',
	},
	scientificAmount: {
		text: 'está en notación científica y puede haber perdido dígitos',
	},
	lostDigits: {
		text: 'tiene más dígitos de los que un número puede guardar con exactitud',
	},
	notPositive: {
		text: 'debe ser mayor que 0',
	},
	tooManyDecimals: {
		text: 'puede tener como máximo {places} decimales',
	},
	tooManyDigits: {
		text: 'tiene más dígitos de los que se pueden enviar con exactitud',
	},
	duplicateOfEarlierExecution: {
		text: 'No enviada: en los últimos días se envió un pago con el mismo beneficiario, monto y glosa, con otra referencia',
	},
	accountHeld: {
		text: 'No enviada: el beneficiario ya cobró, pero nunca en esta cuenta, y Account Changes (cambios de cuenta) está en Hold (retener)',
	},
	totalUnknown: {
		text: '{option} no se puede comprobar: no se conoce el monto de {row}',
	},
	approvalOfOtherContent: {
		text: 'El código de aprobación no corresponde a estos pagos: la cantidad y los totales son iguales, pero cambió una fila o la cuenta de origen',
	},
	noRows: {
		text: 'Los datos no tienen ninguna fila con un pago',
	},
	headerRowNotFound: {
		text: 'Ninguna fila de los datos tiene los nombres de las columnas.\n{found}',
	},
	totalDiffers: {
		text: 'El monto {total} en {row} no tiene beneficiario, como un total. Pero los pagos de arriba suman {sum}',
	},
	columnsMissing: {
		text: 'Los datos no tienen una columna para {fields}.\n{found}',
	},
	ambiguousColumns: {
		text: 'Más de una columna puede ser {field}. En {row}: {columns}.',
	},
	columnNotUsed: {
		text: 'Ninguna columna se usa para {field}, que entonces es {value}. Pero puede ser {column}: en {row} tiene {cell}.',
	},
	secondRow: {
		text: 'es igual que en {row}. Las filas difieren en {columns}',
		hint: 'Quita la fila si se copió. Si hay que pagar las dos, agrega a Key Columns (columnas clave) una columna que las distinga y que nunca cambie, como el número de factura. Si ya se enviaron filas de este lote, no cambies Key Columns: paga esta fila aparte, con otro Batch ID (nombre del lote).',
	},
	copiedRow: {
		text: 'es igual que en {row}, y todas las demás columnas también',
	},
	tooManyCells: {
		text: 'tiene {cells} celdas llenas, y hay menos nombres de columnas: sus valores pueden estar en columnas equivocadas',
	},
	columnsDiffer: {
		text: 'tiene valores distintos en las columnas {columns}',
	},
	valueQualified: {
		text: 'tiene {cell} en la columna {column}: no es el valor completo',
		hint: 'El número solo puede ser de otra persona. Pregunta al servicio cómo se escribe un documento así, y paga esta fila aparte.',
	},
	columnMisspelled: {
		text: 'no corresponde a ningún campo',
	},
	rowMarked: {
		text: 'dice que esta fila no debe pagarse',
	},
	duplicatePayment: {
		text: 'es un pago repetido de {row}: mismo beneficiario, monto y glosa',
	},
} as const satisfies Record<string, Pick<MessageTemplate, 'text' | 'hint'>>;

/** The labels that these messages begin with or name. */
const LABELS: Record<string, string> = {
	Amount: 'Monto',
	'Bank Code': 'Código de banco',
	Country: 'País',
	Currency: 'Moneda',
	Description: 'Glosa',
	'Destination Account': 'Cuenta',
	'Destination ID Number': 'Documento',
	'Document Type': 'Tipo de documento',
	'Entity Type': 'Tipo de persona',
	'External Reference': 'Referencia',
	'First Name': 'Nombres',
	'Funding Source': 'Origen de fondos',
	'Last Name': 'Apellidos',
	Payment: 'Pago',
	Row: 'Fila',
};

const ENGLISH: Record<string, MessageTemplate | undefined> = {
	...SERVICE_MESSAGES,
	...FIELD_MESSAGES,
	...PAYMENT_MESSAGES,
	...ROW_MESSAGES,
};

/** The label of a field in a language. */
export function labelIn(language: Language, label: string): string {
	return language === 'es' ? (LABELS[label] ?? label) : label;
}

/** Results of payments with their messages in Spanish, for people. Codes, which programs read, stay. */
export function inSpanish(
	payments: FinishedPayment[],
	errors: ReadonlyMap<Row, readonly ValidationError[]>,
): FinishedPayment[] {
	return payments.map((payment) => {
		const { row, result } = payment;
		if (!('message' in result) || result.outcome === 'ready') return payment;
		const { message, hint } =
			result.cause === 'invalidRow'
				? {
						message: (errors.get(row) ?? []).map(errorInSpanish).join('\n'),
						hint: 'No se envió nada de este ítem. Corrígelo y ejecútalo otra vez.',
					}
				: messageInSpanish(result);
		return { row, result: { ...result, message, ...(hint !== undefined && { hint }) } };
	});
}

function errorInSpanish(error: ValidationError): string {
	return validationErrorText({
		...error,
		hint: undefined,
		...messageInSpanish(error),
		field: labelIn('es', error.field),
	});
}

/** A message that has no translation stays in English. */
function messageInSpanish({
	code,
	message,
	hint,
}: UserMessage): Pick<UserMessage, 'message' | 'hint'> {
	const spanish = (SPANISH_MESSAGES as Record<string, MessageTemplate | undefined>)[code];
	const english = ENGLISH[code];
	const values = english && {
		...valuesIn(english.text, message),
		...valuesIn(english.hint ?? '', hint ?? ''),
	};
	if (!spanish || !values || filled(english.text, values) !== message) return { message, hint };
	const translated = Object.fromEntries(
		Object.entries(values).map(([name, value]) => [name, VALUES[name]?.(value) ?? value]),
	);
	return {
		message: filled(spanish.text, translated),
		...(spanish.hint !== undefined && { hint: filled(spanish.hint, translated) }),
	};
}

/** The values that were filled into a text: what is between its constant parts. */
function valuesIn(template: string, text: string): Record<string, string> {
	const [first, ...parts] = template.split(/\{(\w+)\}/g);
	const values: Record<string, string> = {};
	let start = first.length;
	for (let index = 0; index < parts.length; index += 2) {
		const [name, next] = [parts[index], parts[index + 1]];
		const isLast = index + 2 === parts.length;
		const end = isLast ? text.length - next.length : text.indexOf(next, start);
		if (end < start) return {};
		values[name] = text.slice(start, end);
		start = end + next.length;
	}
	return values;
}

/** `row 48 (item 47)`, or a row with its payee. */
const rowInSpanish = (text: string) =>
	text.startsWith('row ')
		? `la fila ${text.slice('row '.length).replace(' (item ', ' (ítem ')}`
		: text;
const labelsInSpanish = (text: string) =>
	Object.entries(LABELS).reduce((all, [label, spanish]) => all.replaceAll(label, spanish), text);
const listInSpanish = (text: string) => {
	const last = text.lastIndexOf(' and ');
	return last === -1 ? text : `${text.slice(0, last)} y ${text.slice(last + ' and '.length)}`;
};

const TOTAL_IN = 'The total in ';

/** What our own texts fill in is English, too. By the name of the placeholder. */
const VALUES: Record<string, ((text: string) => string) | undefined> = {
	columns: listInSpanish,
	condition: (text) => labelsInSpanish(text).replaceAll(' is ', ' es ').replaceAll(' or ', ' o '),
	field: labelsInSpanish,
	fields: (text) => labelsInSpanish(listInSpanish(text)),
	found: (text) =>
		labelsInSpanish(text)
			.replace('Columns found: ', 'Columnas encontradas: ')
			.replaceAll(': did you mean ', ': ¿es ')
			.replaceAll(
				' If it is the whole name, set Reading > Full Name.',
				' Si es el nombre completo, elige Reading > Full Name.',
			),
	option: (text) =>
		text.startsWith(TOTAL_IN) ? `El total en ${rowInSpanish(text.slice(TOTAL_IN.length))}` : text,
	row: rowInSpanish,
	separator: (text) => (text === 'comma' ? 'coma' : 'punto'),
};
