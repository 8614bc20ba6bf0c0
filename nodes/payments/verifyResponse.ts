import type { IDataObject } from 'n8n-workflow';

import { isEmpty } from '../fields/validators';
import { columnName } from '../fields/field';
import { parseDecimal } from '../fields/money';
import { showValue } from '../fields/validateFields';
import { idempotencyKey } from '../fields/text';
import type { ExecutionState } from '../state/executionState';
import { isObject, textIn } from '../service/responses';
import { serviceMessage } from '../service/errors';
import type { MoneyEndpoint } from './endpoint';
import { userMessage } from './messages';
import type { UnpaidResult, Row } from './payment';

/** States in which a transaction pays nothing, although it exists (section 3.1), however spelt. */
const FAILED_STATUS = /fail|reject|expire|cancel|declin/i;

/** More decimals than any amount has. */
const MAX_PLACES = 8;

/**
 * Why an answer of success does not say that this row was created.
 *
 * @returns the row's end, whose outcome is `unknown`; undefined when nothing is in doubt
 */
export function verifyResponse(
	endpoint: MoneyEndpoint,
	memory: ExecutionState,
	{ reference, idempotencyKey: key, body }: Row,
	answer: unknown,
): UnpaidResult | undefined {
	const words = serviceMessage(answer);
	const said = words === '' ? '' : `: ${words}`;
	const created = isObject(answer) ? endpoint.created(answer) : undefined;
	const { success, statusCode } = (answer ?? {}) as IDataObject;
	if (String(success).toLowerCase() === 'false' || Number(statusCode) >= 400) {
		return { reference, ...userMessage('successContradicted', { said }) };
	}
	if (!created) return { reference, ...userMessage('noTransactionId', { said }) };
	const { transactionId: transaction } = created;
	const field = endpoint.fields.find(({ name }) => name === endpoint.reference.field);
	const echo = field && textIn(answer, columnName(field));
	if (echo !== undefined && idempotencyKey(echo) !== key) {
		return {
			reference,
			...userMessage('responseForOtherReference', { reference: showValue(echo), said }),
		};
	}
	const owner = memory.ownerOf(transaction);
	if (owner !== undefined && owner !== key) {
		return {
			reference,
			...userMessage('transactionOfOtherReference', { transaction, reference: owner, said }),
		};
	}
	const other = differingEcho(endpoint, body, answer as IDataObject);
	if (other !== undefined) {
		return {
			reference,
			...userMessage('echoDiffers', { transaction, name: other, said }),
			transactionId: transaction,
			status: created.status,
		};
	}
	// The bank payout states it of each transaction; one for the whole counts as well.
	const status = [created.status, textIn(answer, 'status') ?? ''].find((one) =>
		FAILED_STATUS.test(one),
	);
	if (status !== undefined) {
		const ownWords = created.message === '' ? '' : `: ${created.message}`;
		return {
			reference,
			...userMessage('failedAtOnce', { transaction, status, said: said || ownWords }),
			transactionId: transaction,
			status,
		};
	}
	return undefined;
}

/** The name of a value that the answer repeats differently from what was sent; undefined when there is none. */
function differingEcho(
	{ echoes: repeats = [] }: MoneyEndpoint,
	body: IDataObject,
	answer: IDataObject,
): string | undefined {
	const same = (value: unknown) => {
		const decimal = parseDecimal(value, MAX_PLACES);
		return decimal.ok ? decimal.text : String(value).toLowerCase();
	};
	return repeats.find((name) => !isEmpty(answer[name]) && same(answer[name]) !== same(body[name]));
}
