import { randomBytes, randomUUID } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import type { SandboxSettings } from './settings';
import type { Business } from './state';

interface Session {
	business: Business;
	expiresAt: number;
}

/** Access tokens (section 5): real JWTs that are valid while the sandbox has them on record. */
export class Tokens {
	private readonly sign = createSigner({ key: randomBytes(32), algorithm: 'HS256' });
	private readonly sessions = new Map<string, Session>();

	constructor(private readonly settings: SandboxSettings) {}

	/** Creates a token. The user's earlier tokens stay valid. */
	issue(business: Business): string {
		const issuedAt = Date.now();
		const lifetime = this.settings.tokenLifetimeSeconds;
		const iat = Math.floor(issuedAt / 1000);
		// The claims are in whole seconds; the record is exact, for lifetimes below one.
		const exp = iat + Math.ceil(lifetime);
		const { id, email } = business.user;
		const token = this.sign({ sub: id, email, iat, exp, jti: randomUUID() });
		this.sessions.set(token, { business, expiresAt: issuedAt + lifetime * 1000 });
		return token;
	}

	/** The user of a request's Authorization header, if its token is known and not expired. */
	holder(authorization: string | undefined): Business | undefined {
		// Looking up the whole text also checks the signature: only tokens issued here are on record.
		const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
		const session = token === undefined ? undefined : this.sessions.get(token);
		if (session === undefined || token === undefined) return undefined;
		if (Date.now() < session.expiresAt) return session.business;
		this.sessions.delete(token);
		return undefined;
	}

	/** Revokes all tokens or those of one user, and returns their number. */
	revoke(email?: string): number {
		let revoked = 0;
		for (const [token, { business }] of this.sessions) {
			if (email !== undefined && business.user.email.toLowerCase() !== email.toLowerCase())
				continue;
			this.sessions.delete(token);
			revoked += 1;
		}
		return revoked;
	}
}
