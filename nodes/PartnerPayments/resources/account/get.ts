import { ownError } from '../../../service/errors';
import { login, type Login } from '../../../service/login';
import { eachItem, type Operation, toItems } from '../../operations/operation';

/**
 * Section 4.1: `POST /v2/auth/login`, or `/v1/auth/login`, as the credential says. Only a login
 * tells who the user is, so this logs in once more; the token of the answer is dropped here.
 */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description:
		'Get the user that the credential logs in: name, role, status and onboarding steps. Use it to find out whose account this is.',
	properties: [],
	output: {
		id: 'string',
		name: 'string',
		email: 'string',
		role: 'string',
		status: 'string',
		completedOnboardingSteps: ['string'],
	},
	async execute() {
		// One for all items: a wrong password tried for each of them can lock the account.
		let answer: Promise<Login> | undefined;
		return await eachItem(this, async (service) => {
			answer ??= login(this.helpers, service.credentials);
			const { user } = await answer.catch((error: unknown) => notLoggedIn(error));
			return toItems({ ...user });
		});
	},
};

function notLoggedIn(error: unknown): never {
	throw ownError(error) ?? error;
}
