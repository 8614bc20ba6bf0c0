import { createHash } from 'node:crypto';
import * as fc from 'fast-check';

import { isEvmAddress, isTronAddress } from '../../nodes/fields/addresses';
import { cryptoAddress } from '../../nodes/fields/validators';
import { holds } from './holds';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** Encodes Base58 by long division, the opposite of the decoder under test. */
function base58(bytes: Uint8Array): string {
	const digits = [...bytes];
	let text = '';
	while (digits.some((digit) => digit !== 0)) {
		let rest = 0;
		for (const [index, digit] of digits.entries()) {
			const value = rest * 256 + digit;
			digits[index] = Math.floor(value / 58);
			rest = value % 58;
		}
		text = BASE58[rest] + text;
	}
	return text;
}

const account = fc
	.uint8Array({ minLength: 20, maxLength: 20 })
	.filter((bytes) => bytes.some((byte) => byte !== 0));

const addressOf = (prefix: number, bytes: Uint8Array): string => {
	const payload = Buffer.from([prefix, ...bytes]);
	return base58(Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]));
};

const tron = account.map((bytes) => addressOf(0x41, bytes));

/** An address with letters of one case has no checksum. */
const evm = fc.tuple(account, fc.boolean()).map(([bytes, isUpper]) => {
	const hex = Buffer.from(bytes).toString('hex');
	return `0x${isUpper ? hex.toUpperCase() : hex}`;
});

const BLOCKCHAINS = ['TRON', 'Ethereum', 'Polygon', undefined] as const;

const accepts = (value: unknown, blockchain: string | undefined): unknown => {
	const checked = cryptoAddress()(value, { blockchain });
	return checked.ok ? checked.value : undefined;
};

holds(
	'address: accepts the address of every TRON account',
	fc.property(tron, (address) => {
		expect(address).toMatch(/^T.{33}$/);
		expect(isTronAddress(address)).toBe(true);
		expect(isEvmAddress(address)).toBe(false);
	}),
);

holds(
	'address: finds one wrong character in a TRON address',
	fc.property(tron, fc.nat(33), fc.constantFrom(...BASE58), (address, position, character) => {
		fc.pre(address[position] !== character);
		const wrong = address.slice(0, position) + character + address.slice(position + 1);
		expect(isTronAddress(wrong)).toBe(false);
	}),
);

holds(
	'address: finds two swapped characters in a TRON address',
	fc.property(tron, fc.nat(32), (address, position) => {
		const [a, b] = address.slice(position, position + 2);
		fc.pre(a !== b);
		const wrong = address.slice(0, position) + b + a + address.slice(position + 2);
		expect(isTronAddress(wrong)).toBe(false);
	}),
);

holds(
	'address: rejects another chain’s address with a valid checksum for TRON',
	fc.property(account, fc.integer({ min: 0, max: 255 }), (bytes, prefix) => {
		expect(isTronAddress(addressOf(prefix, bytes))).toBe(prefix === 0x41);
	}),
);

holds(
	'address: accepts 20 bytes as an EVM address, but no digit more, less or wrong',
	fc.property(
		evm,
		fc.integer({ min: 2, max: 41 }),
		fc.string({ minLength: 1 }),
		(address, at, text) => {
			expect(isEvmAddress(address)).toBe(true);
			expect(isTronAddress(address)).toBe(false);
			expect(isEvmAddress(address.slice(0, at) + address.slice(at + 1))).toBe(false);
			expect(isEvmAddress(`${address}${address[at]}`)).toBe(false);
			const other = address.slice(0, at) + text + address.slice(at + 1);
			expect(isEvmAddress(other)).toBe(/^[0-9a-f]$/i.test(text));
		},
	),
);

holds(
	'address: sends an address as it was given, and only for its own blockchain',
	fc.property(
		fc.oneof(tron, evm),
		fc.constantFrom('', ' ', '\n', '\t'),
		fc.constantFrom(...BLOCKCHAINS),
		(address, space, blockchain) => {
			const belongs =
				blockchain === undefined || (blockchain === 'TRON') === address.startsWith('T');
			expect(accepts(`${space}${address}${space}`, blockchain)).toBe(belongs ? address : undefined);
		},
	),
);

holds(
	'address: accepts nothing else',
	fc.property(
		fc.oneof(
			fc.anything(),
			fc.string({ unit: fc.constantFrom(...BASE58), minLength: 30, maxLength: 40 }),
			fc.string({ unit: 'binary', minLength: 34, maxLength: 42 }),
		),
		fc.constantFrom(...BLOCKCHAINS),
		(value, blockchain) => {
			const accepted = accepts(value, blockchain);
			if (accepted === undefined) return;
			const text = String(accepted);
			expect(isEvmAddress(text) || base58Checks(text)).toBe(true);
		},
	),
);

/** Checks the checksum with the encoder above: only the right payload encodes to the same text. */
function base58Checks(text: string): boolean {
	let number = 0n;
	for (const character of text) number = number * 58n + BigInt(BASE58.indexOf(character));
	const bytes = Buffer.from(number.toString(16).padStart(50, '0'), 'hex');
	return addressOf(bytes[0], bytes.subarray(1, 21)) === text;
}
