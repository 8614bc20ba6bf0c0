import { cryptoAddress } from '../../nodes/fields/validators';
import type { Values } from '../../nodes/fields/validators';

const check = (raw: string, values: Values, assumed?: string) =>
	cryptoAddress(assumed)(raw, values);

const codeOf = (raw: string, blockchain?: string, assumed?: string): string | undefined => {
	const result = check(raw, { blockchain }, assumed);
	return result.ok ? undefined : result.error.code;
};

/** The test vectors of EIP-55. */
const MIXED = [
	'0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
	'0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
	'0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
	'0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];
const ONE_CASE = [
	'0x52908400098527886E0F7030069857D2E4169EE7',
	'0x8617E340B3D01FA5F11F306F4090FD50E238070D',
	'0xde709f2102306220921060314715629080e2fb77',
	'0x27b1fdb04752bbc536007a920d24acb045561c26',
];

const otherCase = (letter: string): string =>
	letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();

describe('checksums of EVM addresses', () => {
	test.each(MIXED.concat(ONE_CASE))('accepts %s', (address) => {
		expect(codeOf(address, 'Ethereum')).toBeUndefined();
		expect(codeOf(address, 'Polygon')).toBeUndefined();
		expect(codeOf(address)).toBeUndefined();
	});

	test.each(MIXED)('accepts %s without a checksum, in letters of one case', (address) => {
		for (const hex of [address.slice(2).toLowerCase(), address.slice(2).toUpperCase()]) {
			expect(codeOf(`0x${hex}`, 'Polygon')).toBeUndefined();
		}
	});

	test.each(MIXED)('rejects %s with one letter in the other case', (address) => {
		for (const [at, letter] of [...address].entries()) {
			if (at < 2 || !/[a-f]/i.test(letter)) continue;
			const wrong = address.slice(0, at) + otherCase(letter) + address.slice(at + 1);
			expect(codeOf(wrong, 'Ethereum')).toBe('wrongChecksum');
			expect(codeOf(wrong)).toBe('wrongChecksum');
		}
	});

	test.each(MIXED)('rejects %s with another last digit', (address) => {
		const wrong = address.slice(0, -1) + (address.endsWith('1') ? '2' : '1');
		expect(codeOf(wrong, 'Polygon')).toBe('wrongChecksum');
	});
});

describe('addresses that nobody has', () => {
	test.each([
		['0x0000000000000000000000000000000000000000', 'Polygon'],
		['0x0000000000000000000000000000000000000000', 'Ethereum'],
		['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'TRON'],
	])('rejects the zero address %s on %s', (address, blockchain) => {
		expect(codeOf(address, blockchain)).toBe('zeroAddress');
		expect(codeOf(address)).toBe('zeroAddress');
	});

	test.each([
		['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'Ethereum', 'USDC'],
		['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'Ethereum', 'USDT'],
		['0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'Polygon', 'USDC'],
		['0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', 'Polygon', 'USDC'],
		['0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 'Polygon', 'USDT'],
		['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TRON', 'USDT'],
		['TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', 'TRON', 'USDC'],
	])('rejects %s, the contract of a token on %s', (address, blockchain, token) => {
		expect(check(address, { blockchain })).toMatchObject({
			error: {
				code: 'tokenContract',
				message: `is the contract of the token ${token} on ${blockchain}, which loses what is sent to it`,
			},
		});
		if (address.startsWith('0x')) {
			expect(codeOf(address.toLowerCase(), blockchain)).toBe('tokenContract');
			// The same address on the other chain is hardly anybody's either.
			const other = blockchain === 'Polygon' ? 'Ethereum' : 'Polygon';
			expect(codeOf(address, other)).toBe('tokenContract');
		}
	});
});

describe('the blockchain that the service assumes', () => {
	const TRON = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';

	test('rejects a TRON address if no blockchain is given and the service assumes another', () => {
		expect(codeOf(TRON, undefined, 'Polygon')).toBe('notOnAssumedBlockchain');
		expect(codeOf(TRON, 'TRON', 'Polygon')).toBeUndefined();
		expect(codeOf(MIXED[0], undefined, 'Polygon')).toBeUndefined();
		expect(codeOf(MIXED[0], 'TRON', 'Polygon')).toBe('notCryptoAddress');
	});

	test('accepts an address of any blockchain if the service assumes none', () => {
		expect(codeOf(TRON)).toBeUndefined();
	});
});

describe('an address of another blockchain', () => {
	const TRON = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';

	test.each(['Ethereum', 'Polygon'])(
		'an address of another blockchain is rejected with the name of the blockchain %s',
		(blockchain) => {
			expect(check(TRON, { blockchain })).toMatchObject({
				error: {
					code: 'notCryptoAddress',
					message: `must be a valid address on ${blockchain}`,
				},
			});
		},
	);

	test('names the blockchain that the service assumes', () => {
		expect(check(TRON, {}, 'Polygon')).toMatchObject({
			error: {
				message: expect.stringMatching(/^must be a Polygon address .* unless Blockchain is set$/),
			},
		});
	});

	test.each(['0x12', 'maria@example.com', `${TRON}x`])('%j is of no blockchain', (raw) => {
		expect(codeOf(raw)).toBe('notCryptoAddress');
		expect(codeOf(raw, 'TRON')).toBe('notCryptoAddress');
		expect(codeOf(raw, 'Ethereum')).toBe('notCryptoAddress');
	});
});
