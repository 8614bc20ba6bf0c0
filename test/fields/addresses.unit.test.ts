import { isEvmAddress, isTronAddress } from '../../nodes/fields/addresses';

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
