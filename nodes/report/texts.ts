import type { Language } from './language';

/**
 * How a payment stands, for the person who reads a report. What somebody has to look at comes first:
 * - `conflict`: not paid; an earlier payment has its reference
 * - `twice`: its reference has several transactions that did not fail
 * - `unclear`: what is known contradicts itself, or may be about other values than the row's
 * - `unknown`: it may have been created
 * - `failed`: created, but the money did not arrive
 * - `rejected`: the service declined it; nothing was created
 * - `notSent`: it did not leave n8n
 * - `fundingUnknown`: created, and moves when somebody sends crypto, but nobody here knows how much and where to
 * - `waitsForFunds`: created, and moves when somebody sends crypto
 * - `unconfirmed`: created or sent, but the logs do not have it
 * - `repeated`: another row is the same payment
 * - `onItsWay`, `created`, `alreadySent`, `ready`, `arrived`
 */
export const VERDICTS = [
	'conflict',
	'twice',
	'unclear',
	'unknown',
	'failed',
	'rejected',
	'notSent',
	'fundingUnknown',
	'waitsForFunds',
	'unconfirmed',
	'repeated',
	'onItsWay',
	'created',
	'alreadySent',
	'ready',
	'arrived',
] as const;

export type Verdict = (typeof VERDICTS)[number];

/** The verdicts that need nobody. */
const FINE: readonly Verdict[] = ['onItsWay', 'created', 'alreadySent', 'ready', 'arrived'];

export function needsReview(verdict: Verdict): boolean {
	return !FINE.includes(verdict);
}

/** The columns of a report. Codes, which other nodes read, have the same name in every language. */
export type Column =
	| 'verdict'
	| 'payee'
	| 'amount'
	| 'currency'
	| 'paidTo'
	| 'toFund'
	| 'row'
	| 'since'
	| 'status'
	| 'outcome'
	| 'transactionId'
	| 'reference'
	| 'message';

interface Texts {
	/** The verdict of a row. `{reason}`, `{amount}`, `{row}` are filled in. */
	verdicts: Record<Verdict, string>;
	/** The verdict of many rows. */
	labels: Record<Verdict, string>;
	/** What the final statuses mean, by the service's names. */
	statuses: Record<string, string>;
	columns: Record<Column, string>;
	title: string;
	/** `200 payments`; the first for one. */
	payments: readonly [string, string];
	toReview: readonly [string, string];
	allFine: string;
	totals: string;
	count: string;
	outcomes: string;
	unknownAmounts: string;
	toFund: string;
	lookFirst: string;
	allRows: string;
	moreRows: string;
	moreToReview: string;
	download: string;
	made: string;
	preparedBy: string;
	approvedBy: string;
	noResult: string;
	notLogged: string;
	earlierPayment: string;
	perhapsPaid: string;
	severalStatuses: string;
	contradiction: string;
	conflicting: string;
	on: string;
	to: string;
	row: string;
	reference: string;
}

const CODES = {
	status: 'status',
	outcome: 'outcome',
	transactionId: 'transactionId',
	reference: 'reference',
};

/** Whether a column has codes, which other nodes read. */
export function isCode(column: Column): boolean {
	return column in CODES;
}

/** All texts of reports, by language. */
export const TEXTS: Record<Language, Texts> = {
	en: {
		verdicts: {
			conflict: 'Not paid: {reason}',
			twice: 'Paid twice? Its reference has several transactions',
			unclear: 'To be checked: {reason}',
			unknown: 'Not known: {reason}',
			failed: 'Did not arrive: {reason}',
			rejected: 'Rejected: {reason}',
			notSent: 'Not paid: {reason}',
			fundingUnknown: 'Created; funding details unknown',
			waitsForFunds: 'Created, waits for {amount}',
			unconfirmed: 'Sent, arrival not known',
			repeated: 'Not paid again: the same payment as row {row}',
			onItsWay: 'On its way',
			created: 'Created',
			alreadySent: 'Sent in an earlier run',
			ready: 'Not sent: dry run',
			arrived: 'Arrived',
		},
		labels: {
			conflict: 'Not paid: conflict',
			twice: 'Paid twice?',
			unclear: 'To be checked',
			unknown: 'Not known',
			failed: 'Did not arrive',
			rejected: 'Rejected',
			notSent: 'Not paid',
			fundingUnknown: 'Funding details unknown',
			waitsForFunds: 'Waits for crypto',
			unconfirmed: 'Arrival not known',
			repeated: 'Repeated row',
			onItsWay: 'On its way',
			created: 'Created',
			alreadySent: 'Sent in an earlier run',
			ready: 'Dry run',
			arrived: 'Arrived',
		},
		statuses: {
			failed_transaction: 'the transaction failed',
			reject_transaction: 'the transaction was rejected',
			expired_transaction: 'the transaction expired',
		},
		columns: {
			...CODES,
			verdict: 'verdict',
			payee: 'payee',
			amount: 'amount',
			currency: 'currency',
			paidTo: 'account',
			toFund: 'toFund',
			row: 'row',
			since: 'since',
			message: 'message',
		},
		title: 'Payments',
		payments: ['payment', 'payments'],
		toReview: ['to look at', 'to look at'],
		allFine: 'Nothing to look at',
		totals: 'Totals',
		count: 'Payments',
		outcomes: 'Outcomes',
		unknownAmounts: 'of them {count} without a known amount',
		toFund: 'To fund',
		lookFirst: 'Look at these first',
		allRows: 'All rows, in the order of the file',
		moreRows: '{count} more rows are in the CSV file.',
		moreToReview: 'and {count} more, in the report',
		download: 'Download the rows (CSV)',
		made: 'Made on {time}',
		preparedBy: 'Prepared by',
		approvedBy: 'Approved by',
		noResult: 'the item is not the result of a payment',
		notLogged: 'the logs do not have it',
		earlierPayment: 'an earlier payment has its reference',
		perhapsPaid: 'it was perhaps paid',
		severalStatuses: 'the logs have more than one final status',
		contradiction: 'it was not created, but the logs have a transaction with its reference',
		conflicting: 'its reference was perhaps paid with other values than the row has now',
		on: 'on',
		to: 'to',
		row: 'Row',
		reference: 'Reference',
	},
	es: {
		verdicts: {
			conflict: 'No pagado: {reason}',
			twice: '¿Pagado dos veces? Su referencia tiene varias transacciones',
			unclear: 'Por revisar: {reason}',
			unknown: 'Por confirmar: {reason}',
			failed: 'No llegó: {reason}',
			rejected: 'Rechazado: {reason}',
			notSent: 'No pagado: {reason}',
			fundingUnknown: 'Creado; datos de fondeo desconocidos',
			waitsForFunds: 'Creado, espera {amount}',
			unconfirmed: 'Enviado, no se sabe si llegó',
			repeated: 'No se pagó otra vez: es el mismo pago que la fila {row}',
			onItsWay: 'En camino',
			created: 'Creado',
			alreadySent: 'Enviado en una ejecución anterior',
			ready: 'No enviado: prueba',
			arrived: 'Abonado',
		},
		labels: {
			conflict: 'No pagado: conflicto',
			twice: '¿Pagado dos veces?',
			unclear: 'Por revisar',
			unknown: 'Por confirmar',
			failed: 'No llegó',
			rejected: 'Rechazado',
			notSent: 'No pagado',
			fundingUnknown: 'Datos de fondeo desconocidos',
			waitsForFunds: 'Espera cripto',
			unconfirmed: 'No se sabe si llegó',
			repeated: 'Fila repetida',
			onItsWay: 'En camino',
			created: 'Creado',
			alreadySent: 'Enviado antes',
			ready: 'Prueba',
			arrived: 'Abonado',
		},
		statuses: {
			failed_transaction: 'la transacción falló',
			reject_transaction: 'la transacción fue rechazada',
			expired_transaction: 'la transacción venció',
		},
		columns: {
			...CODES,
			verdict: 'resultado',
			payee: 'beneficiario',
			amount: 'monto',
			currency: 'moneda',
			paidTo: 'cuenta',
			toFund: 'por fondear',
			row: 'fila',
			since: 'desde',
			message: 'detalle',
		},
		title: 'Pagos',
		payments: ['pago', 'pagos'],
		toReview: ['por revisar', 'por revisar'],
		allFine: 'Nada por revisar',
		totals: 'Totales',
		count: 'Pagos',
		outcomes: 'Resultados',
		unknownAmounts: 'de ellos, {count} sin monto conocido',
		toFund: 'Por fondear',
		lookFirst: 'Revise esto primero',
		allRows: 'Todas las filas, en el orden del archivo',
		moreRows: '{count} filas más están en el archivo CSV.',
		moreToReview: 'y {count} más, en el reporte',
		download: 'Descargar las filas (CSV)',
		made: 'Generado el {time}',
		preparedBy: 'Elaborado por',
		approvedBy: 'Aprobado por',
		noResult: 'el dato no es el resultado de un pago',
		notLogged: 'no está en los registros',
		earlierPayment: 'un pago anterior tiene su referencia',
		perhapsPaid: 'quizás se pagó',
		severalStatuses: 'los registros tienen más de un estado final',
		contradiction: 'no se creó, pero los registros tienen una transacción con su referencia',
		conflicting: 'su referencia quizás se pagó con otros valores que los de la fila',
		on: 'en',
		to: 'a',
		row: 'Fila',
		reference: 'Referencia',
	},
};

/** Fills in the values of a text. A value with a name in braces stays as it is. */
export function filled(text: string, values: Record<string, string | number>): string {
	return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
