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
	readonly added: readonly PastPayment[];
	readonly missing: readonly PastPayment[];
	readonly changed: ReadonlyArray<{ readonly now: PastPayment; readonly before: PastPayment }>;
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
	const before = new Map(earlier.map((payment) => [payment.key, payment]));
	const now = payments.map(toPastPayment);
	const keys = new Set(now.map(({ key }) => key));
	return {
		with: name,
		added: now.filter(({ key }) => !before.has(key)),
		missing: earlier.filter(({ key }) => !keys.has(key)),
		changed: now.flatMap((payment) => {
			const old = before.get(payment.key);
			const isSame =
				!old ||
				(old.account === payment.account &&
					old.currency === payment.currency &&
					Number(old.amount) === Number(payment.amount));
			return isSame ? [] : [{ now: payment, before: old }];
		}),
	};
}
