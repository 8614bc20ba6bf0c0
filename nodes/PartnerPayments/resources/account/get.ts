import { ownError, rethrow } from '../../../service/errors';
import { login, type Login } from '../../../service/login';
import { eachItem, type Operation } from '../../operations/operation';

/**
 * Section 4.1: `POST /v2/auth/login` or `/v1/auth/login`, as set in the credential. Only the response to a
 * login has the user, so this logs in again and drops the token.
 */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description:
		'Get the user of the credential: name, role, status and onboarding steps. Use it to see whose account this is.',
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
		// Once for all items: repeating a wrong password can lock the account.
		let pending: Promise<Login> | undefined;
		const { helpers } = this;
		return await eachItem(this, {
			async executeItem(service) {
				pending ??= login(helpers, service.credentials);
				const { user } = await pending.catch((error: unknown) => rethrow(ownError(error) ?? error));
				return [{ json: { ...user } }];
			},
		});
	},
};
