import { tell } from './messages';

/**
 * Which money a credential stands for, as the person who filled it in says: the service's interface
 * has nothing that would tell, so it cannot be checked.
 */
export type Environment = 'production' | 'sandbox';

/** The choices in alphabetical order, as the credential and the option Only In list them. */
export const ENVIRONMENTS: Array<{ name: string; value: Environment }> = [
	{ name: 'Production', value: 'production' },
	{ name: 'Sandbox', value: 'sandbox' },
];

/** Where requests go: what somebody who pays should see of the credential. */
export interface Target {
	/** The credential's name in n8n. */
	credential: string;
	host: string;
	/** Left out when none is chosen: then nobody knows, and nothing is assumed. */
	environment?: Environment;
	/** See `Service.account`. */
	account: string;
}

/** The environment that a credential states; undefined when it states none. */
export function environmentIn(value: unknown): Environment | undefined {
	return ENVIRONMENTS.find((choice) => choice.value === value)?.value;
}

/** An environment as the editor names it. */
export function environmentName(environment: Environment): string {
	return ENVIRONMENTS.find(({ value }) => value === environment)?.name ?? environment;
}

/** Which money it is, and whose host: `Sandbox (sandbox.partner.example)`. */
export function describeTarget({ environment, host }: Target): string {
	return environment === undefined
		? tell('environmentNotStated', { host }).message
		: `${environmentName(environment)} (${host})`;
}
