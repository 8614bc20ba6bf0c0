import fc from 'fast-check';
import { cryptoFor, fiatFor, fromUnits, hasAtMostDecimals, toUnits } from '../../sandbox/money';
import { runsOr, SEED } from '../random';

const OPTIONS = { numRuns: runsOr(100), seed: SEED };

describe('amounts', () => {
	it('accepts whole cents and rejects fractions of a cent', () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 10 ** 13 }), (cents) => {
				const amount = Number(fromUnits(BigInt(cents), 2));
				expect(hasAtMostDecimals(amount, 2)).toBe(true);
				expect(toUnits(amount, 2)).toBe(BigInt(cents));
				expect(hasAtMostDecimals(Number(`${fromUnits(BigInt(cents), 2)}1`), 2)).toBe(false);
			}),
			OPTIONS,
		);
	});

	it('funds an amount with enough crypto and not too much', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 10 ** 12 }),
				fc.constantFrom(6.9252, 3.7014, 943.7575, 0.995),
				(cents, rate) => {
					const fiat = Number(fromUnits(BigInt(cents), 2));
					const crypto = toUnits(cryptoFor(fiat, rate), 6);
					const units = toUnits(rate, 4);
					expect(crypto * units).toBeGreaterThanOrEqual(BigInt(cents) * 10n ** 8n);
					expect((crypto - 1n) * units).toBeLessThan(BigInt(cents) * 10n ** 8n);
				},
			),
			OPTIONS,
		);
	});

	it.each([
		[10.25, 1.005, '10.30'],
		[1e-7, 1, '0.00'],
		[1e21, 1, '1000000000000000000000.00'],
	])('converts crypto to fiat: %d at %d', (crypto, rate, fiat) => {
		expect(fiatFor(crypto, rate)).toBe(fiat);
	});
});
