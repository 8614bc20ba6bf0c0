import { catalogue, type MessageTemplate } from '../service/messages';

/** What is said about payment files: why one cannot be read, why a row is held, and what is asked. */
export const SHEET_MESSAGES = {
	fileTooLarge: {
		text: 'The file is larger than {max} MB',
		hint: 'Save only the sheet with the payments.',
		es: 'El archivo tiene más de {max} MB',
		esHint: 'Guarda solo la hoja con los pagos.',
	},
	unpacksTooLarge: {
		text: 'The file grows beyond {max} MB when it is unpacked, which no payment file does',
		hint: 'Copy the rows into a new file.',
		es: 'El archivo crece a más de {max} MB al descomprimirse, lo que no hace ningún archivo de pagos',
		esHint: 'Copia las filas a un archivo nuevo.',
	},
	tooManyRows: {
		text: 'A sheet has more than {max} rows',
		hint: 'Save the rows to pay as a file of their own.',
		es: 'Una hoja tiene más de {max} filas',
		esHint: 'Guarda las filas por pagar en otro archivo.',
	},
	tooManyColumns: {
		text: 'A sheet has more than {max} columns',
		hint: 'Copy the columns of the payments into a new file.',
		es: 'Una hoja tiene más de {max} columnas',
		esHint: 'Copia las columnas de los pagos a un archivo nuevo.',
	},
	tooManyFileCells: {
		text: 'The file has more than {max} cells',
		hint: 'Save only the sheet with the payments.',
		es: 'El archivo tiene más de {max} celdas',
		esHint: 'Guarda solo la hoja con los pagos.',
	},
	filePassword: {
		text: 'The file has a password',
		hint: 'Open it and save it without one.',
		es: 'El archivo tiene contraseña',
		esHint: 'Ábrelo y guárdalo sin contraseña.',
	},
	oldExcel: {
		text: 'The file is in the old format of Excel (.xls)',
		hint: 'Open it and save it as Excel Workbook (.xlsx).',
		es: 'El archivo está en el formato antiguo de Excel (.xls)',
		esHint: 'Ábrelo y guárdalo como Libro de Excel (.xlsx).',
	},
	binaryExcel: {
		text: 'The file is a binary workbook (.xlsb)',
		hint: 'Open it and save it as Excel Workbook (.xlsx).',
		es: 'El archivo es un libro binario (.xlsb)',
		esHint: 'Ábrelo y guárdalo como Libro de Excel (.xlsx).',
	},
	webPage: {
		text: 'The file is a web page with another name',
		hint: 'Open it in Excel and save it as Excel Workbook (.xlsx).',
		es: 'El archivo es una página web con otro nombre',
		esHint: 'Ábrelo en Excel y guárdalo como Libro de Excel (.xlsx).',
	},
	notASheet: {
		text: 'The file is neither XLSX nor ODS nor CSV',
		hint: 'Save the sheet as Excel Workbook (.xlsx).',
		es: 'El archivo no es XLSX, ODS ni CSV',
		esHint: 'Guarda la hoja como Libro de Excel (.xlsx).',
	},
	damagedFile: {
		text: 'The file is damaged',
		hint: 'Open it, save it again and upload that file.',
		es: 'El archivo está dañado',
		esHint: 'Ábrelo, guárdalo de nuevo y sube ese archivo.',
	},
	documentType: {
		text: 'The file has a document type, which no spreadsheet program writes',
		hint: 'Copy the rows into a new file.',
		es: 'El archivo tiene un tipo de documento, lo que no escribe ningún programa de planillas',
		esHint: 'Copia las filas a un archivo nuevo.',
	},
	openQuote: {
		text: 'A quotation mark in row {row} is never closed',
		hint: 'Remove it or close it.',
		es: 'Unas comillas de la fila {row} no se cierran',
		esHint: 'Quítalas o ciérralas.',
	},
} as const satisfies Record<string, MessageTemplate>;

export const userMessage = catalogue(SHEET_MESSAGES);
