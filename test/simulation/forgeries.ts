import { createHash } from 'node:crypto';

/*
 * Forged deliveries: somebody knows the address of a trigger, and perhaps a part of the secret.
 */

/** How a secret is forged. Each differs from the right one. */
const WRONG = {
	none: () => undefined,
	empty: () => '',
	other: () => 'f'.repeat(64),
	longer: (right) => `${right}0`,
	'much longer': (right) => right.padEnd(100_000, '0'),
	shortened: (right) => right.slice(0, -1),
	'half of it': (right) => right.slice(0, right.length / 2),
	'the same beginning': (right) => `${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}`,
	'the same end': (right) => `${right.startsWith('0') ? '1' : '0'}${right.slice(1)}`,
	'other letters': (right) =>
		/[a-f]/.test(right) ? right.toUpperCase() : `${right.slice(1)}${right[0] === '0' ? '1' : '0'}`,
	twice: (right) => right + right,
	hash: (right) => createHash('sha256').update(right).digest('hex'),
	owner: (_, owner) => owner,
	'of another': (_right, _owner, other) => other,
} satisfies Record<string, (right: string, owner: string, other: string) => string | undefined>;

export const FORGERIES = Object.keys(WRONG) as Array<keyof typeof WRONG>;

export type Forgery = keyof typeof WRONG;

/**
 * The secret of a forged delivery.
 *
 * @param right the secret that the service has
 * @param others what else somebody may know: the owner that the address names, the secret of another trigger
 */
export function forged(
	right: string | undefined,
	how: Forgery,
	{ owner, other }: { owner: string; other: string },
): string | undefined {
	return WRONG[how](right ?? '0'.repeat(64), owner, other);
}
