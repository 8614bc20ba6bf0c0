import type { Transaction } from './state';

/** What the QR code of a deposit says: that it is none, should somebody scan it with a real application. */
export function qrContent({ id, amount = '', asset = '' }: Transaction): string {
	return new URLSearchParams({
		sandbox: 'not a real payment',
		transaction: id,
		amount,
		currency: asset,
	}).toString();
}
