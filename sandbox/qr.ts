import type { Transaction } from './state';

/** The content of a deposit's QR code. It says that it is not a real payment, in case someone scans it. */
export function qrContent({ id, amount = '', asset = '' }: Transaction): string {
	return new URLSearchParams({
		sandbox: 'not a real payment',
		transaction: id,
		amount,
		currency: asset,
	}).toString();
}
