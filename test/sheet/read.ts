import { BANK_PAYOUT } from '../../nodes/PartnerPayments/resources/payout/createBank';
import { CRYPTO_PAYOUT } from '../../nodes/PartnerPayments/resources/payout/createCrypto';
import { QR_PAYOUT } from '../../nodes/PartnerPayments/resources/payout/createQr';
import { NAME_ORDERS } from '../../nodes/fields/personNames';
import type { PaymentTable } from '../../nodes/sheet/mapping';
import type { Answers, Question, Settings } from '../../nodes/sheet/question';
import { readPayments, type PaymentReading } from '../../nodes/sheet/readPayments';
import type { PaymentFile } from '../../nodes/sheet/sheet';

const withoutReference = (fields: PaymentTable['fields']) =>
	fields.filter(({ name }) => name !== 'externalReference');

export const BANK: PaymentTable = {
	fields: withoutReference(BANK_PAYOUT.fields),
	payeeFields: ['destinationIdNumber', 'destinationAccount'],
	wholeName: BANK_PAYOUT.wholeName,
};

export const CRYPTO: PaymentTable = {
	fields: withoutReference(CRYPTO_PAYOUT.fields),
	payeeFields: ['destinationWallet'],
};

export const QR: PaymentTable = {
	fields: QR_PAYOUT.fields
		.filter(({ name }) => ['image', 'amount', 'fundingSource'].includes(name))
		.map((field) => ({ ...field, onlyWhen: undefined })),
	payeeFields: ['image'],
};

/** What the form of the node says, as the corpora write it. */
export interface CaseSettings {
	defaultValues?: Record<string, unknown>;
	bankNames?: Record<string, string>;
	accountSeparators?: string;
	fullName?: string;
	columnMapping?: Record<string, string>;
	headerRow?: number;
}

export function settingsOf({
	defaultValues = {},
	bankNames = {},
	accountSeparators,
	fullName,
	columnMapping = {},
	headerRow,
}: CaseSettings): Settings {
	const answers = new Map<string, string>();
	if (fullName && fullName in NAME_ORDERS) answers.set('nameOrder', fullName);
	if (accountSeparators) answers.set('separators.destinationAccount', 'pay');
	if (headerRow) answers.set('header', String(headerRow));
	for (const [field, header] of Object.entries(columnMapping))
		answers.set(`columns.${field}`, header);
	const banks = new Map(Object.entries(bankNames));
	return {
		defaults: new Map(
			Object.entries(defaultValues).map(([name, value]) => [
				name,
				typeof value === 'object' && value !== null && 'value' in value ? value.value : value,
			]),
		),
		valueNames: banks.size > 0 ? new Map([['bankCode', banks]]) : new Map(),
		ignored: new Set(),
		answers,
	};
}

const yieldNow = async () => await Promise.resolve();

export async function read(
	file: PaymentFile,
	of: PaymentTable,
	settings: Settings,
	answers: Answers = new Map(),
): Promise<PaymentReading> {
	return await readPayments(file, of, settings, [], answers, yieldNow);
}

export type { Question };
