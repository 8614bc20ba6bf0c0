import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';

import { PartnerPaymentsApi } from '../../credentials/PartnerPaymentsApi.credentials';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { type SandboxSettings } from '../../sandbox/settings';
import { type Business } from '../../sandbox/state';
import { StoredCredentials } from './credentials';
import { useProcessedItems, type ProcessedItems } from './processedItems';
import { CREDENTIAL_ID, runNode, type RunOptions, type RunResult } from './runNode';

/** A request as the sandbox received it, without what every request has. */
export interface Sent {
	method: string;
	path: string;
	query: unknown;
	body: unknown;
}

/** A sandbox for the tests of a file, and a user for each test. */
export class TestService {
	sandbox!: Sandbox;

	credentials!: StoredCredentials;

	/** What n8n remembers of earlier executions. */
	processed!: ProcessedItems;

	email = '';

	password = '';

	/** The stored credential without a token. */
	get login() {
		const { email, password } = this;
		return { baseUrl: this.sandbox.baseUrl, email, password, loginVersion: 'v2', sessionToken: '' };
	}

	/** What the sandbox keeps for the user. */
	get business(): Business {
		const found = this.sandbox.core.state.business(this.email);
		if (!found) throw new Error(`The sandbox has no user ${this.email}`);
		return found;
	}

	async start(settings?: Partial<SandboxSettings>): Promise<void> {
		this.sandbox = await startSandbox(settings);
	}

	/** Starts again, with a new user, because a process remembers its logins. */
	renew(): void {
		this.sandbox.core.reset(false);
		this.processed = useProcessedItems();
		this.email = `user-${randomUUID()}@example.com`;
		this.password = `secret of ${this.email}`;
		this.sandbox.core.state.addUser({ email: this.email, password: this.password, name: 'Tester' });
		this.credentials = new StoredCredentials([new PartnerPaymentsApi()]);
		this.credentials.save(CREDENTIAL_ID, this.login);
	}

	/** Runs our node with the user's credential. */
	async run(
		parameters: INodeParameters,
		options: Partial<Omit<RunOptions, 'parameters'>> = {},
	): Promise<RunResult> {
		return await runNode({ parameters, credentials: this.credentials, ...options });
	}

	/** What the sandbox received, except logins, in the order of arrival. */
	sent(): Sent[] {
		return this.sandbox.core.traffic
			.requests()
			.filter(({ path }) => !path.endsWith('/auth/login'))
			.map(({ method, path, query, body }) => ({
				method,
				path,
				query: { ...(query as object) },
				body: body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as unknown),
			}));
	}

	/** The bodies of what was sent. Reading has none. */
	bodies(): Array<Record<string, unknown>> {
		return this.sent().flatMap(({ body }) =>
			body === undefined ? [] : [body as Record<string, unknown>],
		);
	}
}

/** Starts a sandbox for the tests of this file and ends it after them. */
export function useService(settings?: Partial<SandboxSettings>): TestService {
	const service = new TestService();
	beforeAll(async () => await service.start(settings));
	beforeEach(() => service.renew());
	afterAll(async () => await service.sandbox.close());
	return service;
}
