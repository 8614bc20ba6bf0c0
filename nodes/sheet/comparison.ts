/** What is kept of a payment, so that the next file can be compared with it. */
export interface PastPayment {
	readonly key: string;
	readonly name: string;
	readonly account: string;
	/** Decimal text. */
	readonly amount: string;
	readonly currency: string;
}

/** How the payments of a file differ from those of an earlier one. */
export interface Comparison {
	/** What the earlier file was called. */
	readonly with: string;
	/** Payments of one payee, of which one is missing if only one of the files has it. */
	readonly changes: ReadonlyArray<{ readonly now?: PastPayment; readonly before?: PastPayment }>;
}

/** Longer texts are no account: the content of a QR code. */
const MAX_ACCOUNT = 60;

/** A payment as it was read. */
interface ReadPayment {
	readonly key: string;
	readonly name: string;
	readonly values: Readonly<Record<string, unknown>>;
}

export function toPastPayment({ key, name, values }: ReadPayment): PastPayment {
	const text = (...fields: string[]) =>
		String(fields.map((field) => values[field]).find((value) => value !== undefined) ?? '');
	return {
		key,
		name,
		account: text('destinationAccount', 'destinationWallet', 'image').slice(0, MAX_ACCOUNT),
		amount: text('amount'),
		currency: text('currencyType', 'asset'),
	};
}

/** Compares payments with those of an earlier file, by payee. */
export function compare(
	payments: readonly ReadPayment[],
	name: string,
	earlier: readonly PastPayment[],
): Comparison {
	const byKey = (list: readonly PastPayment[]) => new Map(list.map((one) => [one.key, one]));
	const [before, now] = [byKey(earlier), byKey(payments.map(toPastPayment))];
	const changes = [...new Set([...now.keys(), ...before.keys()])].flatMap((key) => {
		const both = { now: now.get(key), before: before.get(key) };
		return contentOf(both.now) === contentOf(both.before) ? [] : [both];
	});
	return { with: name, changes };
}

/** What is compared of a payment. */
const contentOf = (payment: PastPayment | undefined): string | undefined =>
	payment && [payment.account, payment.currency, Number(payment.amount)].join('\n');
