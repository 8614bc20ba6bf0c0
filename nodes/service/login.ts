import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { isObject } from './answers';
import { checkedBaseUrl } from './baseUrl';
import { MAX_ANSWER_BYTES, readAnswer } from './boundedBody';
import { isOutage, LoginError, ServiceError } from './errors';
import { withoutSecrets } from './secrets';
import { TimeLimit } from './timeLimit';

const LOGIN_TIMEOUT_MS = 30_000;

/** What a login gave: the bearer token and the login user (section 2.1). */
export interface Login {
	accessToken: string;
	user: IDataObject;
}

/**
 * Logs in (section 4.1) with exactly one call.
 *
 * @throws LoginError: wrong password (401), malformed value (400), anything else the service says,
 *   or a service that cannot be reached. No message repeats the password.
 */
export async function login(
	helpers: Pick<IHttpRequestHelper['helpers'], 'httpRequest'>,
	credentials: ICredentialDataDecryptedObject,
): Promise<Login> {
	const base = checkedBaseUrl(credentials.baseUrl, credentials.allowInsecureHttp);
	const version = credentials.loginVersion === 'v1' ? 'v1' : 'v2';
	const email = String(credentials.email ?? '').trim();
	const password = String(credentials.password ?? '');
	const limit = new TimeLimit(LOGIN_TIMEOUT_MS);
	const response = await loginAnswer(
		helpers,
		{
			method: 'POST',
			url: `${base}/${version}/auth/login`,
			body: { email, password },
			json: true,
			timeout: LOGIN_TIMEOUT_MS,
			abortSignal: limit.signal,
			encoding: 'stream',
			disableFollowRedirect: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		},
		limit,
	).catch((error: unknown) =>
		refuseLogin(
			error instanceof ServiceError
				? `${error.message}. Check Base URL in the Partner Payments credential.`
				: unreachable(base, error, limit.isOver),
			{ isOutage: true },
		),
	);

	const body = isObject(response.body) ? response.body : {};
	const said = serviceText(body.message, password);

	if (response.statusCode === 401) {
		refuseLogin(
			`The service does not accept this email and password${said}. Check Email and Password in the Partner Payments credential.`,
			{ isRefused: true },
		);
	}
	if (response.statusCode === 400) {
		refuseLogin(
			`The service finds a login value malformed${said}. Correct it in the Partner Payments credential.`,
			{ isRefused: true },
		);
	}
	if (response.statusCode === 404) {
		refuseLogin(
			`There is no login at ${base}/${version}/auth/login. Check Base URL, which includes the service’s api prefix, and Login Version in the Partner Payments credential.`,
		);
	}
	if (response.statusCode < 200 || response.statusCode > 299) {
		refuseLogin(
			`The service answered the login with status ${response.statusCode}${said}. Try again later, or check Base URL in the Partner Payments credential.`,
			{ isOutage: isOutage(response.statusCode) },
		);
	}
	if (!isToken(body.accessToken) || body.success === false) {
		refuseLogin(
			`The service answered the login without an access token${said}. Check Base URL in the Partner Payments credential.`,
		);
	}
	return { accessToken: body.accessToken, user: isObject(body.user) ? body.user : {} };
}

async function loginAnswer(
	helpers: Pick<IHttpRequestHelper['helpers'], 'httpRequest'>,
	request: IHttpRequestOptions,
	limit: TimeLimit,
): Promise<{ statusCode: number; body: unknown }> {
	const response = (await helpers.httpRequest(request)) as IN8nHttpFullResponse;
	const { statusCode } = response;
	return { statusCode, body: await readAnswer(response, MAX_ANSWER_BYTES, limit) };
}

/** What can be sent in a header, and not more than servers take there. */
function isToken(value: unknown): value is string {
	return typeof value === 'string' && value.length <= 8_000 && /^[!-~]+$/.test(value);
}

function refuseLogin(message: string, kind?: { isRefused?: boolean; isOutage?: boolean }): never {
	throw new LoginError(message, kind);
}

function unreachable(base: string, error: unknown, isTimeOver: boolean): string {
	const code = isTimeOver ? 'ETIMEDOUT' : String((error as { code?: unknown } | null)?.code ?? '');
	const host = new URL(base).host;
	const reason =
		{
			ECONNREFUSED: 'nothing answers there',
			ENOTFOUND: 'there is no such host',
			EAI_AGAIN: 'the host name cannot be looked up now',
			ECONNABORTED: 'it took too long to answer',
			ETIMEDOUT: 'it took too long to answer',
		}[code] ?? 'the connection broke';
	return `Cannot log in at ${host}: ${reason}. Check Base URL in the Partner Payments credential, and whether the service is up.`;
}

function serviceText(message: unknown, password: string): string {
	const texts: unknown[] = Array.isArray(message) ? message : [message];
	const text = texts.filter((entry) => typeof entry === 'string').join('; ');
	if (text.trim() === '') return '';
	return `: ${withoutSecrets(text, [password])
		.slice(0, 300)
		.replace(/[.\s]+$/, '')}`;
}
