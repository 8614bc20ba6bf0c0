import type { IDataObject } from 'n8n-workflow';

import { isTronAddress } from '../fields/addresses';
import { isEmpty } from '../fields/validators';
import { columnName } from '../fields/field';
import { parseDecimal } from '../fields/money';
import { showValue } from '../fields/validateFields';
import { idempotencyKey } from '../fields/text';
import { shownValue } from '../report/shownText';
import type { ExecutionState } from '../ledger/executionState';
import { isObject } from '../service/json';
import { textIn } from '../service/responses';
import { statusKind, statusText } from '../service/transactionStatus';
import { serviceMessage } from '../service/errors';
import { afterColon, userMessage } from '../messages/userMessage';
import type { MoneyEndpoint } from './endpoint';
import type { PaymentResult, Row } from './payment';

/** More decimals than any amount has. */
const MAX_PLACES = 8;

/**
 * Why a successful response does not prove that this row was created.
 *
 * @returns the result, with the outcome `unknown`; undefined if the response is what it should be
 */
export function verifyResponse(
	endpoint: MoneyEndpoint,
	state: ExecutionState,
	{ idempotencyKey: key, body }: Row,
	answer: unknown,
): Omit<PaymentResult, 'reference'> | undefined {
	/** What the service said about it. Only read if something is wrong: most answers are as they should be. */
	const said = () => afterColon(serviceMessage(answer));
	const created = isObject(answer) ? endpoint.created(answer) : undefined;
	const { success, statusCode } = (answer ?? {}) as IDataObject;
	if (statusText(success).toLowerCase() === 'false' || Number(statusText(statusCode)) >= 400) {
		return userMessage('successContradicted', { said: said() });
	}
	if (!created) return userMessage('noTransactionId', { said: said() });
	const { transactionId } = created;
	const field = endpoint.fields.find(({ name }) => name === endpoint.reference.field);
	const echo = field && textIn(answer, columnName(field));
	const stranger = [echo, state.ownerOf(transactionId)].find(
		(one) => one !== undefined && idempotencyKey(one) !== key,
	);
	if (stranger !== undefined) {
		const reference = showValue(stranger);
		return userMessage('responseForOtherReference', { reference, said: said() });
	}
	const other = differingEcho(endpoint, body, answer as IDataObject);
	if (other !== undefined) {
		const values = { transaction: transactionId, name: other, said: said() };
		return { ...userMessage('echoDiffers', values), transactionId, status: created.status };
	}
	// The bank payout states a status for each transaction; one for the whole response counts as well.
	const status = [created.status, statusText((answer as IDataObject).status)].find(
		(one) => statusKind(one) === 'failed',
	);
	if (status !== undefined) {
		const why = said() || afterColon(created.message);
		const values = { transaction: transactionId, status, said: why };
		return { ...userMessage('failedAtOnce', values), transactionId, status };
	}
	return undefined;
}

/** The name of a value that was sent and that the response echoes differently, if any. */
function differingEcho(
	{ echoes }: MoneyEndpoint,
	body: IDataObject,
	answer: IDataObject,
): string | undefined {
	const same = (value: unknown) => {
		const decimal = parseDecimal(value, MAX_PLACES);
		const text = shownValue(value);
		// Letter case matters in a TRON address.
		return decimal.ok ? decimal.value : isTronAddress(text) ? text : text.toLowerCase();
	};
	const sent = echoes?.(body) ?? {};
	return Object.keys(sent).find(
		(name) =>
			!isEmpty(sent[name]) && !isEmpty(answer[name]) && same(answer[name]) !== same(sent[name]),
	);
}
