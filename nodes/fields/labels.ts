import { inEachLanguage, type Language, type Words } from '../service/messages';
import { joinWords } from './text';

/** The Spanish of the labels that a report or page shows. The form has the English ones, as n8n has. */
const SPANISH: Record<string, string> = {
	Amount: 'Monto',
	Asset: 'Activo',
	'Bank Code': 'Banco',
	Column: 'Columna',
	Country: 'País',
	Currency: 'Moneda',
	Description: 'Glosa',
	'Destination Account': 'Cuenta',
	'Destination Address': 'Dirección de destino',
	'Destination ID Number': 'Documento',
	'Document Type': 'Tipo de documento',
	'Entity Type': 'Tipo de persona',
	'External Reference': 'Referencia',
	'Fiat Amount': 'Monto',
	'Fiat Currency': 'Moneda',
	'First Name': 'Nombres',
	'Funding Source': 'Origen de fondos',
	'Key column': 'Columna clave',
	'Key Columns': 'Columnas clave',
	'Last Name': 'Apellidos',
	Payment: 'Pago',
	'Refund Address': 'Dirección de reembolso',
	Row: 'Fila',
};

/** A label in a language. What stands in quotation marks behind it is a column's own name. */
export function labelIn(language: Language, label: string): string {
	const [name, ...quoted] = label.split(' "');
	return language === 'es' ? [SPANISH[name] ?? name, ...quoted].join(' "') : label;
}

/** A label in a message. */
export function labelWords(label: string): Words {
	return inEachLanguage((language) => labelIn(language, label));
}

/** `a, b and c` in a message. */
export function listWords(texts: string[]): Words {
	return inEachLanguage((language) => joinWords(texts, 'and', language));
}
