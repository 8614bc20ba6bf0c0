import { randomBytes, randomUUID } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import type { SandboxSettings } from './settings';
import type { Business } from './state';

interface Session {
	business: Business;
	expiresAt: number;
}

/** Access tokens (section 5): real JWTs, valid only while the sandbox's own record of them says so. */
export class Tokens {
	private readonly sign = createSigner({ key: randomBytes(32), algorithm: 'HS256' });
	private readonly sessions = new Map<string, Session>();

	constructor(private readonly settings: SandboxSettings) {}

	/** A new token; earlier ones of the same user stay valid. */
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

	/** Whom a request's Authorization header stands for, if its token is known and not expired. */
	holder(authorization: string | undefined): Business | undefined {
		// Looking up the whole text checks the signature too: only a token made here is on record.
		const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
		const session = token === undefined ? undefined : this.sessions.get(token);
		if (session === undefined || token === undefined) return undefined;
		if (Date.now() < session.expiresAt) return session.business;
		this.sessions.delete(token);
		return undefined;
	}

	/** Ends all tokens, or those of one user; tells how many there were. */
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
