import type { Language } from './language';
import { TEXTS, type Verdict } from './texts';

/**
 * How an expected payment and the logs compare. What somebody has to look at comes first:
 * - `paidTwice`: its reference has several transactions that did not fail
 * - `conflict`: an earlier payment has its reference with other values
 * - `notInFile`: a payout in the logs that no row expects
 * - `sameReference`: rows that differ have the same reference
 * - `unclear`: the logs contradict themselves
 * - `notPaid`: it was not created, and the logs do not have it either
 * - `overdue`: it has been on its way for too long
 */
export const FINDINGS = [
	'paidTwice',
	'conflict',
	'notInFile',
	'otherAmount',
	'otherCurrency',
	'sameReference',
	'unclear',
	'failed',
	'notPaid',
	'notFound',
	'overdue',
	'onItsWay',
	'arrived',
] as const;

export type Finding = (typeof FINDINGS)[number];

/** Whether somebody has to look at it. */
export function isToReview(finding: Finding): boolean {
	return finding !== 'onItsWay' && finding !== 'arrived';
}

/** The findings that a report's verdict says, too. */
const VERDICT_OF = {
	paidTwice: 'twice',
	conflict: 'conflict',
	unclear: 'unclear',
	failed: 'failed',
	notPaid: 'notSent',
	notFound: 'unknown',
	onItsWay: 'onItsWay',
	arrived: 'arrived',
} as const satisfies Partial<Record<Finding, Verdict>>;

interface Texts {
	findings: Record<Exclude<Finding, keyof typeof VERDICT_OF>, string>;
	conflict: string;
	notInFile: string;
	sameReference: string;
	withoutReference: string;
	notInLogs: string;
	notPaid: string;
	overdue: string;
	notCompared: string;
}

/** The texts of a reconciliation, by language. */
export const RECONCILE_TEXTS: Record<Language, Texts> = {
	en: {
		findings: {
			notInFile: 'Not in the file',
			otherAmount: 'Other amount',
			otherCurrency: 'Other currency',
			sameReference: 'Same reference',
			overdue: 'On its way for too long',
		},
		conflict: 'An earlier payment has its reference with other values. This row was not paid.',
		notInFile: 'No row has its reference.',
		sameReference: 'Rows that differ have this reference.',
		withoutReference: 'The row has no reference.',
		notInLogs: 'The logs of the last {days} days do not have it. It may still have been paid.',
		notPaid: 'Its outcome is {outcome}, and the logs do not have it.',
		overdue: 'For more than {hours} hours.',
		notCompared:
			'The amount was not compared: file and logs have it in different currencies, or one has none.',
	},
	es: {
		findings: {
			notInFile: 'No está en el archivo',
			otherAmount: 'Otro monto',
			otherCurrency: 'Otra moneda',
			sameReference: 'Misma referencia',
			overdue: 'En camino hace demasiado',
		},
		conflict: 'Un pago anterior tiene su referencia con otros valores. Esta fila no se pagó.',
		notInFile: 'Ninguna fila tiene su referencia.',
		sameReference: 'Filas distintas tienen esta referencia.',
		withoutReference: 'La fila no tiene referencia.',
		notInLogs: 'Los registros de los últimos {days} días no lo tienen. Aun así pudo pagarse.',
		notPaid: 'Su resultado es {outcome}, y los registros no lo tienen.',
		overdue: 'Hace más de {hours} horas.',
		notCompared:
			'El monto no se comparó: el archivo y los registros lo tienen en monedas distintas, o falta en uno.',
	},
};

/** A finding as people read it. */
export function findingLabel(finding: Finding, language: Language): string {
	const { labels } = TEXTS[language];
	const { findings } = RECONCILE_TEXTS[language];
	return finding in VERDICT_OF
		? labels[VERDICT_OF[finding as keyof typeof VERDICT_OF]]
		: findings[finding as keyof typeof findings];
}
