import { sameText } from '../fields/text';
import { digest } from '../memory/executionMemory';
import type { MoneyEndpoint } from './endpoint';
import type { Row } from './payment';
import { canonical } from './totals';

/** Whom a payment goes to, with the given fields of the row, and how much. */
export function likeness(recipient: string[], endpoint: MoneyEndpoint, { values }: Row): string {
	const money = endpoint.amount(values);
	return JSON.stringify([
		...recipient.map((name) => sameText(String(values[name] ?? '')).toLowerCase()),
		money && [canonical(money.amount), money.currency],
	]);
}

/**
 * Whom a payment goes to and how much, as a digest. What it is for does not count: a model words it anew each time.
 *
 * @returns undefined for an endpoint whose payments cannot be identical
 */
export function agentLikeness(endpoint: MoneyEndpoint, row: Row): string | undefined {
	const recipient = endpoint.recipient?.filter((name) => name !== endpoint.purpose);
	return recipient && digest({ alike: likeness(recipient, endpoint, row) });
}
