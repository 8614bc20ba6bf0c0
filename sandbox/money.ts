// Amounts are calculated in whole units of their last decimal place, never in floating point.

/** A number in full, without an exponent. */
function plain(value: number): string {
	const text = String(value);
	if (!text.includes('e')) return text;
	return Math.abs(value) >= 1 ? BigInt(value).toString() : value.toFixed(20);
}

/** Whether a number, as it was sent, has at most this many decimal places. */
export function hasAtMostDecimals(value: number, places: number): boolean {
	// The shortest text of the number is what was sent: 0.07 is '0.07', while a
	// remainder by 0.01 would have a rounding error.
	const text = String(value);
	if (text.includes('e-')) return false;
	return (text.split('.')[1]?.length ?? 0) <= places;
}

/** An amount in whole units of its last place. Further places are cut off. */
export function toUnits(amount: number | string, places: number): bigint {
	const [whole = '0', fraction = ''] = (typeof amount === 'number' ? plain(amount) : amount).split(
		'.',
	);
	return BigInt(whole + fraction.padEnd(places, '0').slice(0, places));
}

/** Whole units as a decimal text with exactly that many places. */
export function fromUnits(units: bigint, places: number): string {
	const digits = units.toString().padStart(places + 1, '0');
	return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const ratePlaces = 4;
const cryptoPlaces = 6;
const fiatPlaces = 2;

/** The crypto that funds a fiat amount, rounded up so that it is always enough. */
export function cryptoFor(fiat: number, rate: number): string {
	const divisor = toUnits(rate, ratePlaces);
	const scale = 10n ** BigInt(cryptoPlaces + ratePlaces - fiatPlaces);
	const dividend = toUnits(fiat, fiatPlaces) * scale;
	return fromUnits((dividend + divisor - 1n) / divisor, cryptoPlaces);
}

/** The fiat value of a crypto amount, rounded down. */
export function fiatFor(crypto: number, rate: number): string {
	const product = toUnits(crypto, cryptoPlaces) * toUnits(rate, ratePlaces);
	return fromUnits(product / 10n ** BigInt(cryptoPlaces + ratePlaces - fiatPlaces), fiatPlaces);
}

/** A percentage of a fiat amount, rounded down. */
export function percentageOf(fiat: string, percent: number): string {
	const product = toUnits(fiat, fiatPlaces) * toUnits(percent, ratePlaces);
	return fromUnits(product / 10n ** BigInt(ratePlaces + 2), fiatPlaces);
}

/** A fiat amount as a decimal text. */
export function fiatText(fiat: number): string {
	return fromUnits(toUnits(fiat, fiatPlaces), fiatPlaces);
}
