/** A payment with final values, by field name. */
export interface Payment {
	readonly row: number;
	/** What distinguishes the payments of one payee: the payee, and of a second row the cell of the column that somebody named. */
	readonly key: string;
	readonly values: Readonly<Record<string, unknown>>;
	/** Whom it pays, as people call them. */
	readonly name: string;
}

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

export function toPastPayment({ key, name, values }: Payment): PastPayment {
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
	payments: readonly Payment[],
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
