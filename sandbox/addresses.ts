import { createHash, randomBytes } from 'node:crypto';

/** The form of an address on Polygon and Ethereum. */
export const evmAddress = /^0x[0-9a-fA-F]{40}$/;
/** The form of an address on TRON: `T` and 33 more characters of the base 58 alphabet. */
export const tronAddress = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest();

/** A made-up address in the right form (on TRON with a correct checksum). Nobody has its key. */
export function newAddress(blockchain: string): string {
	const body = randomBytes(20);
	if (blockchain !== 'TRON') return `0x${body.toString('hex')}`;

	const payload = Buffer.concat([Buffer.from([0x41]), body]);
	const checked = Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]);
	let rest = BigInt(`0x${checked.toString('hex')}`);
	let address = '';
	for (; rest > 0n; rest /= 58n) address = base58[Number(rest % 58n)] + address;
	return address;
}

/** A made-up transaction hash in the form that block explorers show. */
export function newTransactionHash(blockchain: string): string {
	const hash = randomBytes(32).toString('hex');
	return blockchain === 'TRON' ? hash : `0x${hash}`;
}
