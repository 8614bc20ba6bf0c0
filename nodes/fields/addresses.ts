import { createHash } from 'node:crypto';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const TRON_PREFIX = 0x41;

/** Whether the text has the shape of an Ethereum or Polygon address (0x and 40 hexadecimal digits). */
export function isEvmAddress(text: string): boolean {
	return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/**
 * Whether the text is a TRON address: base58 of one prefix byte, 20 address bytes and a four-byte
 * checksum. The checksum catches a mistyped character, after which the coins would be gone.
 */
export function isTronAddress(text: string): boolean {
	if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return false;
	let number = 0n;
	for (const character of text) number = number * 58n + BigInt(BASE58.indexOf(character));
	const bytes = Buffer.from(number.toString(16).padStart(50, '0'), 'hex');
	if (bytes.length !== 25 || bytes[0] !== TRON_PREFIX) return false;
	const checksum = sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4);
	return checksum.equals(bytes.subarray(21));
}

function sha256(data: Buffer): Buffer {
	return createHash('sha256').update(data).digest();
}
