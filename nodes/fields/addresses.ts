import { createHash } from 'node:crypto';

import { type UserMessage, userMessage } from '../messages/userMessage';
import { matches } from '../service/outsideText';
import { keccak256 } from './keccak';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const TRON_PREFIX = 0x41;

/** Whether a text looks like an Ethereum or Polygon address: 0x and 40 hexadecimal digits. */
export function isEvmAddress(text: string): boolean {
	return matches(/^0x[0-9a-fA-F]{40}$/, text);
}

/**
 * Whether a text is a TRON address: base58 of one prefix byte, 20 address bytes and a checksum of four
 * bytes, which detects typing errors.
 */
export function isTronAddress(text: string): boolean {
	if (!matches(/^T[1-9A-HJ-NP-Za-km-z]{33}$/, text)) return false;
	let number = 0n;
	for (const character of text) number = number * 58n + BigInt(BASE58.indexOf(character));
	// From T on, 34 digits are always 25 bytes.
	const bytes = Buffer.from(number.toString(16), 'hex');
	if (bytes[0] !== TRON_PREFIX) return false;
	const checksum = sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4);
	return checksum.equals(bytes.subarray(21));
}

function sha256(data: Buffer): Buffer {
	return createHash('sha256').update(data).digest();
}

/** The form in which addresses are compared: case matters in a TRON address only. */
export function addressKey(address: string): string {
	return isEvmAddress(address) ? address.toLowerCase() : address;
}

/** The addresses whose bytes are all zero. Nobody has their keys. */
const ZERO_ADDRESSES = new Set([`0x${'0'.repeat(40)}`, 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb']);

/** The contracts of the tokens that the service sends. People copy them from a block explorer by mistake. */
const TOKEN_CONTRACTS = new Map(
	[
		['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USDC', 'Ethereum'],
		['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'USDT', 'Ethereum'],
		['0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'USDC', 'Polygon'],
		['0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', 'USDC', 'Polygon'],
		['0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 'USDT', 'Polygon'],
		['TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', 'USDC', 'TRON'],
		['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'USDT', 'TRON'],
	].map(([address, token, blockchain]) => [addressKey(address), { token, blockchain }]),
);

/** Why nobody can receive at an address that looks right; undefined if somebody may. */
export function recipientError(address: string): UserMessage | undefined {
	const key = addressKey(address);
	if (ZERO_ADDRESSES.has(key)) return userMessage('zeroAddress');
	const contract = TOKEN_CONTRACTS.get(key);
	if (contract) return userMessage('tokenContract', contract);
	return isEvmAddress(address) && !fitsChecksum(address) ? userMessage('wrongChecksum') : undefined;
}

/** EIP-55: in an EVM address with letters of both cases, the cases are a checksum. */
function fitsChecksum(address: string): boolean {
	const hex = address.slice(2);
	const lower = hex.toLowerCase();
	if (hex === lower || hex === hex.toUpperCase()) return true;
	const hash = keccak256(Buffer.from(lower)).toString('hex');
	return [...lower].every(
		(digit, index) => hex[index] === (hash[index] >= '8' ? digit.toUpperCase() : digit),
	);
}
