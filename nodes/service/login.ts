import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { isObject } from './json';
import { piecesOf, withoutTrailing } from './outsideText';
import { parseBaseUrl } from './baseUrl';
import { Deadline } from './deadline';
import { MAX_BODY_BYTES, readBody } from './readBody';
import {
	abortedRequest,
	isOutageStatus,
	LoginError,
	serviceMessage,
	toServiceError,
} from './errors';
import {
	afterColon,
	asWords,
	userMessage,
	type EditorMessage,
	type UserMessage,
} from '../messages/userMessage';

const LOGIN_TIMEOUT_MS = 30_000;

/** The response to a login: the bearer token and the user (section 2.1). */
export interface Login {
	accessToken: string;
	user: IDataObject;
}

/**
 * Logs in with exactly one call (section 4.1).
 *
 * @throws LoginError if the service rejects the password (401) or a malformed value (400), answers with
 *   any other error, or cannot be reached. No message contains the password.
 */
export async function login(
	helpers: Pick<IHttpRequestHelper['helpers'], 'httpRequest'>,
	credentials: ICredentialDataDecryptedObject,
): Promise<Login> {
	const baseUrl = parseBaseUrl(credentials.baseUrl, credentials.allowInsecureHttp);
	if (!baseUrl.ok) return reject(baseUrl.error);
	const base = baseUrl.value;
	const version = credentials.loginVersion === 'v1' ? 'v1' : 'v2';
	const email = String(credentials.email ?? '').trim();
	const password = String(credentials.password ?? '');
	const deadline = new Deadline(LOGIN_TIMEOUT_MS);
	const send = async (): Promise<{ status: number; answer: unknown }> => {
		const response = (await helpers.httpRequest({
			method: 'POST',
			url: `${base}/${version}/auth/login`,
			body: { email, password },
			json: true,
			timeout: LOGIN_TIMEOUT_MS,
			abortSignal: deadline.signal,
			encoding: 'stream',
			disableFollowRedirect: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		})) as IN8nHttpFullResponse;
		const answer = await readBody(response, MAX_BODY_BYTES, deadline);
		return { status: response.statusCode, answer };
	};
	const { status, answer } = await send()
		.catch((error: unknown) => {
			const failure = deadline.isOver ? abortedRequest(true) : toServiceError(error, [password]);
			const { host } = new URL(base);
			const reason = asWords(failure);
			return reject(userMessage('loginUnreachable', { host, reason }), { isOutage: true });
		})
		.finally(() => deadline.stop());

	const body = isObject(answer) ? answer : {};
	const said = messageIn(body, password);

	if (status === 400 || status === 401) {
		reject(userMessage('loginRejected', { said }), { isRejected: true });
	}
	if (status === 404) {
		reject(userMessage('loginNotFound', { address: `${base}/${version}/auth/login` }));
	}
	if (status < 200 || status > 299) {
		reject(userMessage('loginFailed', { status, said }), { isOutage: isOutageStatus(status) });
	}
	if (!isToken(body.accessToken) || body.success === false) {
		reject(userMessage('loginWithoutToken', { said }));
	}
	return { accessToken: body.accessToken, user: isObject(body.user) ? body.user : {} };
}

/** Whether a value can be sent in a header: visible characters, and not too long for a server. */
function isToken(value: unknown): value is string {
	return (
		typeof value === 'string' &&
		value.length <= 8_000 &&
		piecesOf(value).every((piece) => /^[!-~]+$/.test(piece))
	);
}

function reject(
	error: EditorMessage | UserMessage,
	kind?: { isRejected?: boolean; isOutage?: boolean },
): never {
	throw new LoginError(error, kind);
}

/** The service's message, for the placeholder {said}. */
function messageIn({ message }: IDataObject, password: string): string {
	const text = serviceMessage({ message }, [password]).slice(0, 300);
	return afterColon(withoutTrailing(text, '. \n'));
}
