import { createHash } from 'node:crypto';

/*
 * Forged deliveries: somebody knows the address of a trigger, and perhaps parts of what proves that a delivery comes from
 * the service.
 */

/** What a delivery proves itself with. */
export interface Proof {
	/** The secret in the address. */
	secret: string | undefined;
	/** What the header has. */
	apiKey: string | undefined;
}

/** How a secret or key is forged. Each differs from the right one. */
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

/** What may be wrong: what is not wrong is right. */
export const FORGED_PARTS = ['secret', 'apiKey', 'both', 'exchanged'] as const;

export type ForgedPart = (typeof FORGED_PARTS)[number];

/**
 * The proof of a forged delivery.
 *
 * @param right the proof that the service has
 * @param others what else somebody may know: the owner that the address names, the secret of another trigger
 */
export function forged(
	right: Proof,
	what: ForgedPart,
	how: Forgery,
	{ owner, other }: { owner: string; other: string },
): Proof {
	const { secret = '0'.repeat(64), apiKey = '1'.repeat(64) } = right;
	if (what === 'exchanged') return { secret: apiKey, apiKey: secret };
	const wrong = (text: string) => WRONG[how](text, owner, other);
	return {
		secret: what === 'apiKey' ? right.secret : wrong(secret),
		apiKey: what === 'secret' ? right.apiKey : wrong(apiKey),
	};
}

/** Whether a proof is as good as the right one for a kind of verification. */
export function isProof(
	right: Proof,
	given: Proof,
	verification: 'callbackSecret' | 'apiKey' | 'both' | 'none',
): boolean {
	const isSecret = right.secret !== undefined && given.secret === right.secret;
	const isKey = right.apiKey !== undefined && given.apiKey === right.apiKey;
	return {
		none: true,
		callbackSecret: isSecret,
		apiKey: isKey,
		both: isSecret && isKey,
	}[verification];
}
