import type { FastifyInstance } from 'fastify';
import type { Core } from '../core';
import { ServiceError } from '../errors';
import { filled, strictObject } from '../schemas';
import type { Business } from '../state';

declare module 'fastify' {
	interface FastifyRequest {
		/** The business of the request's token. */
		business: Business;
	}
}

interface Credentials {
	email: string;
	password: string;
}

const credentials = strictObject({ email: { type: 'string', format: 'email' }, password: filled }, [
	'email',
	'password',
]);

/** Login in both versions (section 4.1). */
export function loginRoutes(app: FastifyInstance, { state, tokens, traffic }: Core): void {
	for (const url of ['/v2/auth/login', '/v1/auth/login']) {
		app.post<{ Body: Credentials }>(url, {
			schema: { body: credentials },
			handler({ body: { email, password } }) {
				const business = state.business(email);
				if (business?.user.password !== password) {
					throw new ServiceError(401, 'Invalid credentials');
				}
				traffic.loggedIn(true);
				const { id, name, role, status, completedOnboardingSteps } = business.user;
				return {
					success: true,
					accessToken: tokens.issue(business),
					user: { id, name, email: business.user.email, role, status, completedOnboardingSteps },
					message: 'Login successful',
				};
			},
			errorHandler(error) {
				traffic.loggedIn(false);
				throw error;
			},
		});
	}
}

/** Admits only requests with a valid token (section 5), before any other check. */
export function requireToken(app: FastifyInstance, { tokens }: Core): void {
	app.addHook('preValidation', (request, _reply, done) => {
		const business = tokens.holder(request.headers.authorization);
		if (business === undefined) return done(new ServiceError(401, 'Unauthorized'));
		request.business = business;
		done();
	});
}
