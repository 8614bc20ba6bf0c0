import { createHash } from 'node:crypto';
import fc from 'fast-check';

import { runsOr, SEED } from '../random';
import { isEvmAddress, isTronAddress } from '../../nodes/fields/addresses';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const OPTIONS = { numRuns: runsOr(300), seed: SEED };

const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** A second encoder, independent of the decoder under test. */
function tronAddress(account: Uint8Array, prefix = 0x41): string {
	const payload = Buffer.concat([Buffer.from([prefix]), account]);
	const bytes = Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]);
	let number = BigInt(`0x${bytes.toString('hex')}`);
	let text = '';
	while (number > 0n) {
		text = ALPHABET[Number(number % 58n)] + text;
		number /= 58n;
	}
	return text;
}

const accounts = fc.uint8Array({ minLength: 20, maxLength: 20 });

describe('EVM addresses', () => {
	test.each([
		'0x52908400098527886E0F7030069857D2E4169EE7',
		'0xde709f2102306220921060314715629080e2fb77',
		'0x0000000000000000000000000000000000000000',
	])('accepts %s', (text) => {
		expect(isEvmAddress(text)).toBe(true);
	});

	test.each([
		'',
		'0x',
		'52908400098527886E0F7030069857D2E4169EE7',
		'0X52908400098527886E0F7030069857D2E4169EE7',
		'0x52908400098527886E0F7030069857D2E4169EE',
		'0x52908400098527886E0F7030069857D2E4169EE77',
		'0x52908400098527886E0F7030069857D2E4169EEG',
		' 0x52908400098527886E0F7030069857D2E4169EE7',
		'0x52908400098527886E0F7030069857D2E4169EE7\n',
		'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
	])('rejects %j as an EVM address', (text) => {
		expect(isEvmAddress(text)).toBe(false);
	});
});

describe('TRON addresses', () => {
	test.each(['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7'])(
		'accepts the TRON address %s',
		(text) => {
			expect(isTronAddress(text)).toBe(true);
		},
	);

	test('accepts the TRON address of any account', () => {
		fc.assert(
			fc.property(accounts, (account) => isTronAddress(tronAddress(account))),
			OPTIONS,
		);
	});

	test('rejects a TRON address with one wrong character', () => {
		const characters = fc.constantFrom(...ALPHABET);
		fc.assert(
			fc.property(accounts, fc.nat(33), characters, (account, position, character) => {
				const address = tronAddress(account);
				fc.pre(address[position] !== character);
				const wrong = address.slice(0, position) + character + address.slice(position + 1);
				return !isTronAddress(wrong);
			}),
			OPTIONS,
		);
	});

	test('rejects a TRON address with two neighbors swapped', () => {
		fc.assert(
			fc.property(accounts, fc.nat(32), (account, position) => {
				const address = tronAddress(account);
				fc.pre(address[position] !== address[position + 1]);
				const swapped =
					address.slice(0, position) +
					address[position + 1] +
					address[position] +
					address.slice(position + 2);
				return !isTronAddress(swapped);
			}),
			OPTIONS,
		);
	});

	test('rejects an address of another network', () => {
		fc.assert(
			fc.property(accounts, fc.integer({ min: 0, max: 255 }), (account, prefix) => {
				fc.pre(prefix !== 0x41);
				return !isTronAddress(tronAddress(account, prefix));
			}),
			OPTIONS,
		);
	});

	test('rejects an address that begins with T but has the prefix of another network', () => {
		fc.assert(
			fc.property(accounts, (account) => {
				const address = tronAddress(account, 0x42);
				expect(address).toMatch(/^T.{33}$/);
				expect(isTronAddress(address)).toBe(false);
			}),
			OPTIONS,
		);
	});

	test('rejects a zero digit before an address, which does not change its bytes', () => {
		expect(isTronAddress('1TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe(false);
	});

	test('rejects a character that base58 does not have, whatever its bytes would be', () => {
		// A decoder that takes 0 for -1 reads `x0` as `wz`.
		const address = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
		expect(isTronAddress(address)).toBe(true);
		for (const character of ['0', 'O', 'I', 'l', ' ', '-']) {
			expect(isTronAddress(address.replace('6z', `7${character}`))).toBe(false);
		}
	});

	test.each([
		'',
		'T',
		'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6',
		'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6tt',
		'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj60',
		'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t ',
		`T${'z'.repeat(33)}`,
		`T${'1'.repeat(33)}`,
		'0x52908400098527886E0F7030069857D2E4169EE7',
	])('rejects %j as a TRON address', (text) => {
		expect(isTronAddress(text)).toBe(false);
	});
});
